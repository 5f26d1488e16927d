import type { SQSEvent } from "aws-lambda";
import { environment } from "../lib/edge/environment.ts";
import { drainInterrupted } from "../lib/helmr/interruption.ts";
import { helmrInterruption } from "../lib/helmr/interruption-wiring.ts";
import { handleNotices, type Response } from "../lib/interruption/handle-notices.ts";
import { isEnd } from "../lib/interruption/notice.ts";
import { noticeParts } from "../lib/interruption/notice-parts.ts";
import { ledgerAgents } from "../lib/kici/agent-record.ts";
import { closeInterrupted } from "../lib/kici/interruption.ts";
import { cordonInterrupted } from "../lib/zoomies/interruption.ts";
import { zoomiesInterruption } from "../lib/zoomies/interruption-wiring.ts";

const env = environment(process.env);
const { parts, liveSets } = noticeParts(env);
const agents = ledgerAgents(parts.records);
const hosts = zoomiesInterruption(env);
const helmr = helmrInterruption(env, parts.records, parts.clock);

const responses: Response[] = [
  async ({ notice, instance }) => closeInterrupted({ agents, liveSets }, instance, isEnd(notice)),
];
if (hosts !== undefined) {
  responses.push(async ({ notice, group }) =>
    group === undefined ? undefined : cordonInterrupted({ ...parts, hosts }, group, notice),
  );
}
if (helmr !== undefined) {
  responses.push(async ({ notice, group }) =>
    group === undefined ? undefined : drainInterrupted(helmr, group, notice.instance),
  );
}

/** EC2's notices, from the queue: ours are answered in every protocol that their instance serves. */
export const handler = (event: SQSEvent) => handleNotices({ ...parts, responses }, event);
