import type { CloudEvent } from "../../../infra/local/aws/cloud-events.ts";
import type { Chance } from "../chance.ts";
import { isDrover } from "./drover.ts";
import { minute } from "./setting.ts";
import { isCalm, nowAndThen, type ZoomiesStage } from "./stage-parts.ts";

/** An EC2 instance with its user data and agent. */
export interface Machine {
  readonly id: string;
  readonly group: string;
  readonly bornAt: number;
  alive: boolean;
  /** Its host in Zoomies once it joined, whatever that is called by now. */
  hostId: string | undefined;
  joinedAt: number | undefined;
  /** Who began to end it, as the cloud names its actors. */
  endedBy: string | undefined;
}

/** How one machine's user data and agent behave. */
interface Ways {
  readonly asksAfterMs: number;
  /** From a token to its redemption. */
  readonly startsAfterMs: number;
  readonly neverAsks: boolean;
  readonly neverStarts: boolean;
  readonly incompatible: boolean;
}

/** User data gives up asking after so long. */
const asksForMs = 20 * minute;
/** Whether a status says: never. The example's script takes these for temporary. */
const isFinal = (status: number): boolean => status < 500 && ![404, 425, 429].includes(status);

/** The machines behind the groups' instances: they boot, ask to join, join, are cut off for a while, and die. */
export function machines(stage: ZoomiesStage, chance: Chance): ReadonlyMap<string, Machine> {
  const all = new Map<string, Machine>();
  stage.cloud.on((event) => {
    if (event.type === "instance-state" && event.group !== undefined && event.to === "running") {
      const machine: Machine = {
        id: event.instanceId,
        group: event.group,
        bornAt: stage.time.now(),
        alive: true,
        hostId: undefined,
        joinedAt: undefined,
        endedBy: undefined,
      };
      all.set(machine.id, machine);
      boot(stage, machine, drawWays(stage, chance), chance);
    }
    const ended = endingOf(event);
    const machine = ended === undefined ? undefined : all.get(ended.id);
    if (machine !== undefined) machine.endedBy ??= ended?.by;
    if (event.type === "instance-state" && event.to !== "running" && event.to !== "pending") {
      const gone = all.get(event.instanceId);
      if (gone?.alive) die(stage, gone, event.reason);
    }
  });
  nowAndThen(stage, chance, stage.setting.hazards.networks, () => cutOff(stage, chance, [...all.values()]));
  return all;
}

/** Who began to end an instance: by a terminate, or by abandoning its launch. */
function endingOf(event: CloudEvent): { id: string; by: string } | undefined {
  if (event.type === "lifecycle-hook" && event.outcome === "ABANDON") return { id: event.instanceId, by: event.actor };
  if (event.type !== "member-state" || event.to !== "Terminating") return undefined;
  return { id: event.instanceId, by: event.actor };
}

function drawWays(stage: ZoomiesStage, chance: Chance): Ways {
  const bad = isCalm(stage) ? 0 : stage.setting.hazards.badMachine;
  const slow = chance.is(bad);
  return {
    asksAfterMs: chance.between(2_000, slow ? 12 * minute : 60_000),
    startsAfterMs: chance.between(1_000, slow ? 6 * minute : 40_000),
    neverAsks: chance.is(bad / 3),
    neverStarts: chance.is(bad / 2),
    incompatible: chance.is(bad / 6),
  };
}

function boot(stage: ZoomiesStage, machine: Machine, ways: Ways, chance: Chance): void {
  const { time, drover, controller } = stage;
  if (ways.neverAsks) return void stage.tell(`${machine.id} never asks`);
  const givesUpAt = time.now() + ways.asksAfterMs + asksForMs;
  const askAgain = () => time.after(chance.between(10_000, 20_000), () => void ask());

  async function ask(): Promise<void> {
    if (!machine.alive || machine.hostId !== undefined || time.now() > givesUpAt) return;
    let isHeard = false;
    // A reply that never comes is given up, as curl does.
    time.after(30_000, () => {
      if (!isHeard) void ask();
    });
    const reply = await drover.join(machine.id).catch(() => undefined);
    if (isHeard || !machine.alive) return;
    isHeard = true;
    stage.tell(() => `${machine.id} asked to join: ${reply?.status}`);
    if (reply?.answer !== undefined) {
      const { token, capacity, labels, backend } = reply.answer;
      if (ways.neverStarts) return;
      time.after(ways.startsAfterMs, () => start(token, { capacity, labels, backend }));
    } else if (reply === undefined || !isFinal(reply.status)) askAgain();
  }

  function start(
    token: string,
    offer: { capacity: number; labels: Readonly<Record<string, string>>; backend: string },
  ): void {
    if (!machine.alive || machine.hostId !== undefined) return;
    const agent = { name: machine.id, ...offer, os: "linux", arch: "amd64", incompatible: ways.incompatible };
    const joined = controller.redeem(token, agent);
    stage.tell(() => `${machine.id} joins: ${"host" in joined ? joined.host.id : joined.refused}`);
    if ("refused" in joined) return void askAgain();
    machine.hostId = joined.host.id;
    machine.joinedAt = time.now();
  }

  time.after(ways.asksAfterMs, () => void ask());
}

function die(stage: ZoomiesStage, machine: Machine, reason: string): void {
  machine.alive = false;
  const by = machine.endedBy !== undefined && isDrover(machine.endedBy) ? machine.endedBy : reason;
  const host = machine.hostId === undefined ? undefined : stage.controller.fleet.hosts.get(machine.hostId);
  stage.tell(() => `${machine.id} is gone: ${by}`);
  if (host !== undefined) stage.controller.endMachine(host.name, by);
}

/** Heartbeats do not come through for a while; long enough, and Zoomies presumes the host gone. */
function cutOff(stage: ZoomiesStage, chance: Chance, all: readonly Machine[]): void {
  const joined = all.filter(({ alive, hostId }) => alive && hostId !== undefined);
  if (joined.length === 0) return;
  const machine = chance.pick(joined);
  const host = stage.controller.fleet.hosts.get(machine.hostId ?? "");
  if (host === undefined) return;
  stage.tell(`${machine.id} is cut off`);
  stage.controller.silence(host.name);
  stage.time.after(chance.between(20_000, 8 * minute), () => {
    if (machine.alive) stage.controller.speak(host.name);
  });
}
