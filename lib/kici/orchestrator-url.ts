const protocols = new Set(["ws:", "wss:", "http:", "https:"]);

/**
 * Why an agent on an instance of its own could not use this URL; undefined when it may. An orchestrator without a
 * configured URL emits its own loopback address (kici-notes 1). Private ranges are fine: agents may live in the same network.
 */
export function whyUnreachable(url: string): { readonly malformed: boolean; readonly message: string } | undefined {
  const parsed = /\s/u.test(url) ? null : URL.parse(url);
  if (parsed === null || !protocols.has(parsed.protocol) || parsed.hostname === "") {
    return {
      malformed: true,
      message: "orchestratorUrl must be a URL that begins with ws://, wss://, http:// or https://.",
    };
  }
  const host = parsed.hostname.replace(/\.$/, "");
  if (!isLocal(host)) return undefined;
  const message = `orchestratorUrl leads to ${host}, which on the agent's instance is not the orchestrator. Set the scaler's orchestratorUrl.`;
  return { malformed: false, message };
}

/** The URL standard has already written every spelling of an IPv4 address as four decimal numbers, and IPv6 in its short form. */
function isLocal(host: string): boolean {
  if (host === "localhost" || host.endsWith(".localhost")) return true;
  if (host.startsWith("[")) return isLocalV6(host.slice(1, -1));
  return isLocalV4(host);
}

/** "This host", loopback and link-local. */
const isLocalV4 = (host: string): boolean => /^(?:0|127)(?:\.\d+){3}$|^169\.254(?:\.\d+){2}$/.test(host);

function isLocalV6(address: string): boolean {
  if (address === "::" || address === "::1" || /^fe[89ab][0-9a-f]:/.test(address)) return true;
  // IPv4 inside IPv6 (mapped, or the old compatible form), as two groups of hex digits.
  const [, high, low] = /^::(?:ffff:)?([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address) ?? [];
  if (high === undefined || low === undefined) return false;
  const bytes = [high, low].flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);
  return isLocalV4(bytes.join("."));
}
