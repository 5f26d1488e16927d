import type { Facts } from "./facts.ts";
import { integrations } from "./integrations.ts";
import type { Known } from "./known.ts";

/** What was not looked at, and why. Silence about it would read as health. */
export function notChecked(facts: Facts): string[] {
  const of = (subject: string, look: Known<unknown> | undefined): string[] =>
    look?.unread === undefined ? [] : [`${subject}: ${look.unread}`];
  return [
    ...of("launch templates' instance types", facts.instanceTypes),
    ...of("free addresses of subnets", facts.freeAddresses),
    ...facts.secrets.flatMap(({ output, shape }) => of(`secret ${output}`, shape)),
    ...of("trust policy of the hosts' role", facts.hostRoleTrust),
    ...of("pools of Zoomies", facts.zoomies?.pools),
    ...of("names at Helmr", facts.helmr?.unknown),
    ...of("clock skew", facts.skewMs),
    ...of("concurrency of the account", facts.concurrency),
    ...(integrations(facts.stack).zoomiesHosts
      ? ["scopes hosts:cordon, hosts:delete, runners:drain and joins:write: only a change would tell"]
      : []),
  ];
}
