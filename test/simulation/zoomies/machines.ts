import type { CloudEvent } from "../../../infra/local/aws/cloud-events.ts";
import type { Table } from "../../../lib/ledger/table.ts";
import type { Chance } from "../chance.ts";
import { isDrover } from "./drover.ts";
import { drawWays, type Ways } from "./machine-ways.ts";
import { joinDeadlineMs, minute } from "./setting.ts";
import { notesOf, nowAndThen, type ZoomiesStage } from "./stage-parts.ts";

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
  /** Set while it holds a token back: uses it. */
  redeem: (() => void) | undefined;
  redeemsBehindALook: boolean;
  /** Since when its heartbeats come through; undefined while they do not. */
  heardSince: number | undefined;
}

/** A tardy machine holds its token back no longer than this, shortly before the token expires. */
const heldBackMs = 4.5 * minute;

/** User data gives up asking after so long. */
const asksForMs = 20 * minute;
/** Whether a status says: never. The example's script takes these for temporary. */
const isFinal = (status: number): boolean => status < 500 && ![404, 425, 429].includes(status);

/** The machines behind the groups' instances: they boot, ask to join, join, are cut off for a while, and die. */
export function machines(
  stage: ZoomiesStage,
  chance: Chance,
  onJoined: (machine: Machine) => void,
): ReadonlyMap<string, Machine> {
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
        redeem: undefined,
        redeemsBehindALook: false,
        heardSince: undefined,
      };
      all.set(machine.id, machine);
      boot(stage, machine, drawWays(stage, chance), chance, onJoined);
    }
    const ended = endingOf(event);
    const machine = ended === undefined ? undefined : all.get(ended.id);
    if (machine !== undefined) {
      machine.endedBy ??= ended?.by;
      // Its agent starts up in this very moment.
      machine.redeem?.();
    }
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

function boot(
  stage: ZoomiesStage,
  machine: Machine,
  ways: Ways,
  chance: Chance,
  onJoined: (machine: Machine) => void,
): void {
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
      const redeem = () => start(token, { capacity, labels, backend });
      machine.redeem = ways.tardy === undefined ? undefined : redeem;
      machine.redeemsBehindALook = ways.tardy === "look";
      time.after(ways.tardy === undefined ? ways.startsAfterMs : heldBackMs, redeem);
    } else if (reply === undefined || !isFinal(reply.status)) askAgain();
  }

  function start(
    token: string,
    offer: { capacity: number; labels: Readonly<Record<string, string>>; backend: string },
  ): void {
    machine.redeem = undefined;
    if (!machine.alive || machine.hostId !== undefined) return;
    const agent = { name: machine.id, ...offer, os: "linux", arch: "amd64", incompatible: ways.incompatible };
    const joined = controller.redeem(token, agent);
    stage.tell(() => `${machine.id} joins: ${"host" in joined ? joined.host.id : joined.refused}`);
    if ("refused" in joined) return void askAgain();
    machine.hostId = joined.host.id;
    machine.joinedAt = time.now();
    machine.heardSince = time.now();
    onJoined(machine);
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

/** Drover has just looked at all hosts and finds a machine too late: the worst moment for that one to join. */
export function joinBehindALook(
  stage: ZoomiesStage,
  chance: Chance,
  all: ReadonlyMap<string, Machine>,
  table: Table,
): void {
  for (const machine of all.values()) {
    const { redeem } = machine;
    if (!machine.alive || redeem === undefined || !machine.redeemsBehindALook) continue;
    void notesOf(machine, table).then((notes) => {
      const isLate = notes !== undefined && stage.time.now() - notes.seenAt >= joinDeadlineMs;
      if (isLate) stage.time.after(chance.pick([0, 0, 20]), redeem);
    });
  }
}

/** Heartbeats do not come through for a while; long enough, and Zoomies presumes the host gone. */
function cutOff(stage: ZoomiesStage, chance: Chance, all: readonly Machine[]): void {
  const joined = all.filter(({ alive, hostId }) => alive && hostId !== undefined);
  if (joined.length === 0) return;
  const machine = chance.pick(joined);
  const host = stage.controller.fleet.hosts.get(machine.hostId ?? "");
  if (host === undefined) return;
  stage.tell(`${machine.id} is cut off`);
  machine.heardSince = undefined;
  stage.controller.silence(host.name);
  stage.time.after(chance.between(20_000, 8 * minute), () => {
    if (!machine.alive) return;
    stage.controller.speak(host.name);
    machine.heardSince = stage.time.now();
  });
}
