import { parse } from "yaml";

/** What an instance's user data makes it do: run one agent with this environment, and end after a time. */
export type AgentStart = { environment: Readonly<Record<string, string>>; lifetimeMs: number };

type CloudConfig = { write_files?: { path?: string; encoding?: string; content?: string }[] };

/** Reads user data as cloud-init and the agent do. undefined when no agent would start from it. */
export function agentStart(userData: string | undefined): AgentStart | undefined {
  const text = Buffer.from(userData ?? "", "base64").toString();
  if (!text.startsWith("#cloud-config\n")) return undefined;
  const { write_files: files = [] } = parse(text, { version: "1.1" }) as CloudConfig;
  const contents = new Map(files.map(({ path = "", content = "", encoding }) => [path, decoded(content, encoding)]));
  const environment = contents.get("/etc/kici-agent.env");
  const lifetime = [...contents.values()].map((each) => /--on-active=(\d+)m/.exec(each)?.[1]).find(Boolean);
  if (environment === undefined || lifetime === undefined) return undefined;
  const lines = environment.split("\n").filter((line) => line.includes("="));
  const variables = lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]);
  return { environment: Object.fromEntries(variables), lifetimeMs: Number(lifetime) * 60_000 };
}

const decoded = (content: string, encoding: string | undefined): string =>
  encoding === "b64" ? Buffer.from(content, "base64").toString() : content;

/** Variables that the agent knows; with any other KICI_ variable it refuses to start (kici-notes 5). */
const known = new Set([
  "KICI_ORCHESTRATOR_URL",
  "KICI_SCALER_CLAIM_CODE",
  "KICI_AGENT_ID",
  "KICI_LABELS",
  "KICI_SCALER_MANAGED",
]);

/** Why the agent would not start, undefined when it would. */
export function whyNoStart({ environment }: AgentStart): string | undefined {
  const unknown = Object.keys(environment).find((name) => name.startsWith("KICI_") && !known.has(name));
  if (unknown !== undefined) return `unknown variable ${unknown}`;
  const missing = [...known].find((name) => (environment[name] ?? "") === "");
  if (missing !== undefined) return `${missing} is not set`;
  return environment["KICI_SCALER_MANAGED"] === "1" ? undefined : "reserved labels without KICI_SCALER_MANAGED=1";
}
