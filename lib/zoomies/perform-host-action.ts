import type { TerminateOutcome } from "../capacity/shrink.ts";
import { errorFields } from "../edge/logger.ts";
import type { Host } from "./api.ts";
import type { GroupLease } from "./group-lease.ts";
import { whyNeeded, whyNotEmpty } from "./host-check.ts";
import type { Effect } from "./host-effects.ts";
import type { HostAction, HostsObservation } from "./host-observation.ts";
import type { LifeParts } from "./host-parts.ts";
import { proveUnjoined } from "./prove-unjoined.ts";
import { describeLagMs } from "./raise-decision.ts";
import { isNewerDemand } from "./reading.ts";

type Kind = HostAction["kind"];
type Of<K extends Kind> = Extract<HostAction, { readonly kind: K }>;

export interface Performing {
  readonly parts: LifeParts;
  readonly lease: GroupLease;
  readonly observation: HostsObservation;
}

/**
 * Does one thing about one instance, guarded by a fresh look where it cannot be undone (design: rule 2). The caller has
 * its intent in the ledger. Throws when Zoomies or AWS did not answer: then the next run looks again (design: rule 5).
 */
export async function performHostAction(doing: Performing, action: HostAction): Promise<Effect> {
  if (!(await doing.lease.mayMutate())) return { said: "the lease went to another writer", failed: true };
  switch (action.kind) {
    case "cordon":
      return cordon(doing, action);
    case "uncordon":
      await doing.parts.life.hosts.cordon(action.hostId, false);
      return { said: "given back" };
    case "drain":
      return drain(doing, action);
    case "terminate":
      return terminate(doing, action);
    case "terminate-unjoined":
      return terminateUnjoined(doing, action);
    case "delete-row": {
      const said = await doing.parts.life.hosts.deleteHost(action.hostId);
      // Runners are recorded on it until Zoomies presumes the host gone, five minutes after its last word.
      return { said: said === "refused" ? "Zoomies still records runners on it" : said };
    }
    default:
      return answerHook(doing, action);
  }
}

async function cordon({ parts, observation }: Performing, { instance, hostId }: Of<"cordon">): Promise<Effect> {
  const { hosts } = parts.life;
  let host: Host | undefined;
  try {
    host = await hosts.host(hostId);
  } catch (error) {
    parts.logger.log("error", "unanswered", { kind: "cordon", instance, ...errorFields(error) });
    // Nothing was sent: a cordon that stands there at the next look is somebody else's, and must not pass for ours.
    return { said: "its host could not be looked at", failed: true, drain: "over" };
  }
  if (host === undefined || host.name !== instance) return { said: "another host has its name now", drain: "over" };
  const isEnding = observation.group.instances.find(({ id }) => id === instance)?.state === "Terminating:Wait";
  // Cordoned between the look and now, by somebody else: theirs, and left alone. An ending instance needs no cordon of ours.
  if (host.cordoned && !isEnding) return { said: "somebody cordoned it first", drain: "over" };
  const now = host.cordoned ? host : await hosts.cordon(hostId, true);
  if (!now?.cordoned) return { said: "it did not take", failed: true };
  return { said: "cordoned", drain: { phase: "cordoned", cordonedAt: parts.clock.now() } };
}

async function drain({ parts }: Performing, { runners }: Of<"drain">): Promise<Effect> {
  for (const runner of runners) {
    if ((await parts.life.hosts.drain(runner)) !== "refused") continue;
    // It took a job meanwhile: back off, and never confirm it away (zoomies-notes 0, row 8).
    const back = { outcome: "cancelled", reason: "a runner is busy" } as const;
    return { said: "a runner is busy", drain: { phase: "uncordoning", back } };
  }
  return { said: `${runners.length} runners asked to go` };
}

async function terminate(doing: Performing, { instance, hostId }: Of<"terminate">): Promise<Effect> {
  const { parts, lease, observation } = doing;
  const isFirst = observation.record.instances[instance]?.drain?.phase !== "terminating";
  // A first terminate that is not sent leaves the drain where it can still turn back; a repeated one leaves it as it is.
  const wait = (said: string): Effect => (isFirst ? { said, drain: { phase: "cordoned" } } : { said });
  const group = await parts.groups.named(lease.name, { instances: true });
  if (group === undefined || group.desired <= group.min) return wait("MinSize is reached");
  if (group.instances.find(({ id }) => id === instance)?.state !== "InService") return wait("it is not in service");
  const hostIds = new Set(Object.values(observation.record.instances).flatMap((notes) => notes.hostId ?? []));
  const needed = isFirst ? await whyNeeded(parts, observation, hostIds) : undefined;
  if (needed !== undefined) return wait(needed);
  // Renewing writes over the record's last version: whatever demand came in since is in what comes back.
  if (!(await lease.renew())) return wait("the lease went to another writer");
  if (isFirst && isNewerDemand(observation.readings, lease.held().stored.value.readings)) {
    return wait("newer demand came in");
  }
  if (raiseIsOpen(doing)) return wait("a raise may still land");
  const notEmpty = await whyNotEmpty(parts, instance, hostId, observation);
  if (notEmpty !== undefined) return wait(notEmpty);

  const sent = await parts.life.shrink.terminate(instance);
  if (sent.outcome === "accepted") await lowered(doing);
  return terminated(sent, wait);
}

function terminated(sent: TerminateOutcome, wait: (said: string) => Effect): Effect {
  if (sent.outcome === "accepted") return { said: "terminating", drain: { phase: "terminated" } };
  if (sent.outcome === "refused") return { ...wait(`refused: ${sent.code}`), failed: true };
  return { said: `no answer: ${sent.code}`, failed: true };
}

/**
 * Our own raise, remembered against a describe that lags behind it, stands for one host less now. A terminate that was
 * accepted stays accepted if this fails.
 */
async function lowered({ parts, lease }: Performing): Promise<void> {
  const { lastRaise } = lease.held().stored.value;
  if (lastRaise === undefined) return;
  try {
    await lease.renew({ lastRaise: { ...lastRaise, to: lastRaise.to - 1 } });
  } catch (error) {
    parts.logger.log("error", "last raise kept", errorFields(error));
  }
}

/** Whether a raise that nobody answered may still land: until it has or cannot, nobody knows what desired capacity is. */
function raiseIsOpen({ parts, lease }: Performing): boolean {
  const { lastRaise } = lease.held().stored.value;
  return lastRaise?.unanswered === true && parts.clock.now() - lastRaise.at < describeLagMs;
}

async function terminateUnjoined(
  { parts, lease, observation }: Performing,
  { instance }: Of<"terminate-unjoined">,
): Promise<Effect> {
  const group = await parts.groups.named(lease.name, { instances: true });
  if (group === undefined || group.desired <= group.min) return { said: "MinSize is reached" };
  if (group.instances.find(({ id }) => id === instance)?.state !== "InService") return { said: "it is not in service" };
  if (raiseIsOpen({ parts, lease, observation })) return { said: "a raise may still land" };
  const unproven = await whyNotUnjoined({ parts, lease, observation }, instance);
  if (unproven !== undefined) return unproven;
  const sent = await parts.life.shrink.terminate(instance);
  if (sent.outcome !== "accepted") return { said: `${sent.outcome}: ${sent.code}`, failed: true };
  await lowered({ parts, lease, observation });
  return { said: "terminating", ended: { outcome: "removed", reason: "it never joined" } };
}

async function whyNotUnjoined(
  { parts, lease, observation }: Performing,
  instance: string,
): Promise<Effect | undefined> {
  if (observation.zoomies === undefined) return { said: "Zoomies was not seen whole" };
  const unjoined = await proveUnjoined(parts, lease.name, instance, observation.zoomies);
  if (unjoined.proven) return (await lease.mayMutate()) ? undefined : { said: "the lease went to another writer" };
  return { said: unjoined.reason, ...(unjoined.hostId === undefined ? {} : { hostId: unjoined.hostId }) };
}

async function answerHook(
  doing: Performing,
  action: Of<"complete-launch" | "abandon-launch" | "complete-termination" | "heartbeat">,
): Promise<Effect> {
  const { parts, lease, observation } = doing;
  const { instance } = action;
  const wait = { group: lease.name, hook: action.hook, instance };
  if (action.kind === "heartbeat") return told(await parts.life.hooks.heartbeat(wait), "kept waiting");
  if (action.kind === "complete-launch") return told(await parts.life.hooks.complete(wait, "CONTINUE"), "in service");
  if (action.kind === "complete-termination" && action.hostId !== undefined) {
    const notEmpty = await whyNotEmpty(parts, instance, action.hostId, observation);
    if (notEmpty !== undefined) return { said: notEmpty };
    return told(await parts.life.hooks.complete(wait, "CONTINUE"), "let go");
  }
  const unproven = await whyNotUnjoined(doing, instance);
  if (unproven !== undefined) return unproven;
  const isLaunch = action.kind === "abandon-launch";
  const answered = told(await parts.life.hooks.complete(wait, isLaunch ? "ABANDON" : "CONTINUE"), "let go");
  return isLaunch && !answered.failed ? { ...answered, said: "abandoned", abandoned: true } : answered;
}

function told(sent: TerminateOutcome, done: string): Effect {
  if (sent.outcome === "accepted") return { said: done };
  // The wait is over already, or the hook is gone: what stands there now shows in the next look.
  if (sent.outcome === "refused" && sent.kind === "changed") return { said: `refused: ${sent.code}` };
  return { said: `${sent.outcome}: ${sent.code}`, failed: true };
}
