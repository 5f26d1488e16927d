import type { SQSBatchItemFailure, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { countRefusal } from "../capacity/count-refusal.ts";
import { errorCode } from "../capacity/error-codes.ts";
import type { Group } from "../capacity/group.ts";
import type { Instance } from "../capacity/instances.ts";
import type { Clock } from "../edge/clock.ts";
import { errorFields, type Logger } from "../edge/logger.ts";
import type { Metrics } from "../edge/metrics.ts";
import { type CarryOut, onlyObserve } from "../edge/mode.ts";
import type { Records } from "../ledger/records.ts";
import type { Trail } from "../ledger/trail.ts";
import { isOutlived, type Notice, readNotice } from "./notice.ts";
import { quarantine } from "./quarantine.ts";

/** An instance of this stack that EC2 gave notice of, with its group where it is in one. */
export interface Noticed {
  readonly notice: Notice;
  readonly instance: Instance;
  readonly group: Group | undefined;
}

/** What one protocol decides about it. */
export interface Answer {
  readonly fleet: string;
  readonly decided: string;
  /** Why, beside the notice itself. */
  readonly because?: string;
  /** Changes something outside of the ledger, and notes down what belongs to that: gives what came of it. Idempotent. */
  readonly act?: () => Promise<string>;
  /** What came of it where the ledger alone has to know. */
  readonly outcome?: string;
  /** The fleet is only observed for now. */
  readonly isPaused?: boolean;
}

/** Undefined for an instance that is not its own. */
export type Response = (noticed: Noticed) => Promise<Answer | undefined>;

export interface NoticeParts {
  readonly stack: string;
  readonly instances: { shown(ids: readonly string[]): Promise<Instance[]> };
  /** Only groups of this stack. */
  readonly groups: { named(group: string, options: { instances: boolean }): Promise<Group | undefined> };
  readonly records: Records;
  readonly trail: Trail;
  readonly responses: readonly Response[];
  readonly carryOut: CarryOut;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

const groupTag = "aws:autoscaling:groupName";
const stackTag = "drover:stack";
/** EC2 shows every instance by then; one that it does not show is no longer there (cases.md 27, 78). */
const youngMs = 60_000;

/**
 * A batch of EC2's notices. Whatever cannot be done now fails by itself and comes again; nothing else of the batch does
 * (cases.md 13, 14), and nothing waits for it: each instance's notices are handled in their order, and the instances beside each
 * other, so that a peer which does not answer uses nobody's time up but its own. All instances are read in one call, each group
 * once, and what is not ours costs no second one.
 */
export async function handleNotices(given: NoticeParts, { Records: records }: SQSEvent): Promise<SQSBatchResponse> {
  const parts = { ...given, groups: readOnce(given.groups) };
  const failures: SQSBatchItemFailure[] = [];
  const read = records.map((record) => ({ record, notice: readNotice(record.body) }));
  const ids = new Set(read.flatMap(({ notice }) => notice?.instance ?? []));
  let shown: Map<string, Instance> | undefined;
  try {
    const found = ids.size === 0 ? [] : await parts.instances.shown([...ids]);
    shown = new Map(found.map((instance) => [instance.id, instance]));
  } catch (error) {
    parts.logger.log("error", "instances unseen", errorFields(error));
    countRefusal(parts.metrics, errorCode(error));
  }
  async function handle({ record, notice }: (typeof read)[number]): Promise<void> {
    try {
      if (notice === undefined) return await putAside(parts, record);
      const isHandled =
        shown !== undefined && (await handleOne(parts, notice, shown.get(notice.instance))) === "handled";
      if (isHandled) return;
    } catch (error) {
      parts.logger.log("error", "notice failed", errorFields(error));
      countRefusal(parts.metrics, errorCode(error));
    }
    failures.push({ itemIdentifier: record.messageId });
  }
  const each = Map.groupBy(read, ({ record, notice }) => notice?.instance ?? record.messageId);
  await Promise.all(
    Array.from(each.values(), async (own) => {
      for (const one of own) await handle(one);
    }),
  );
  return { batchItemFailures: failures };
}

/** The same groups for one batch: each is asked for once, however many of its instances are told of. */
function readOnce(groups: NoticeParts["groups"]): NoticeParts["groups"] {
  const asked = new Map<string, Promise<Group | undefined>>();
  return {
    named(name, options) {
      const answer = asked.get(name) ?? groups.named(name, options);
      asked.set(name, answer);
      return answer;
    },
  };
}

async function putAside(parts: NoticeParts, { messageId, body }: SQSRecord): Promise<void> {
  if (!(await quarantine(parts.records, messageId, body))) return;
  parts.logger.log("error", "message put aside", { messageId });
  parts.metrics.count("ConfigError", 1, { Code: "malformed_message" });
}

async function handleOne(
  parts: NoticeParts,
  notice: Notice,
  instance: Instance | undefined,
): Promise<"handled" | "later"> {
  const { kind, at } = notice;
  if (instance === undefined) {
    if (parts.clock.now() - at < youngMs) return "later";
    parts.logger.log("warn", "unknown instance", { ...notice });
    parts.metrics.count("CallFailed", 1, { Outcome: "unseen", Code: "InvalidInstanceID.NotFound" });
    return "handled";
  }
  const name = instance.tags[groupTag];
  const ownTag = instance.tags[stackTag];
  // Tags of a group are not propagated, so that an instance of a group is known by its group alone.
  if (name === undefined && ownTag !== parts.stack) return "handled";
  const group = name === undefined ? undefined : await parts.groups.named(name, { instances: false });
  if (name !== undefined && group === undefined) return "handled";
  if (instance.state === "running" && isOutlived(notice, parts.clock.now())) {
    parts.logger.log("info", "notice", { instance: instance.id, kind, outcome: "outlived" });
    return "handled";
  }
  for (const respond of parts.responses) {
    const answer = await respond({ notice, instance, group });
    if (answer !== undefined) await carryOut(parts, { notice, instance, group }, answer);
  }
  return "handled";
}

/** Does what was decided, by the stack's mode and the fleet's, and tells of it: once for as long as the same is said of this very notice. */
async function carryOut(parts: NoticeParts, { notice, instance }: Noticed, answer: Answer): Promise<void> {
  const { fleet, decided, because, act, isPaused } = answer;
  const carry = isPaused ? onlyObserve : parts.carryOut;
  const outcome = act === undefined ? (answer.outcome ?? "none") : await carry(act);
  const { kind, at } = notice;
  parts.logger.log("info", "notice", { fleet, instance: instance.id, kind, decided, outcome });
  const time = new Date(at).toISOString();
  await parts.trail.appendChange(`notice#${instance.id}#${kind}#${time}`, {
    fleet,
    saw: { instance: instance.id, kind, at: time },
    decided,
    reasons: ["interrupted", ...(because === undefined ? [] : [because])],
    outcome,
  });
}
