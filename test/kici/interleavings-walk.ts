import type { Walk } from "./interleavings-explorer.ts";
import type { Actor } from "./interleavings-gates.ts";
import { type Act, functionMs, type Ground, InterleavingWorld, type Told } from "./interleavings-world.ts";

export interface Scenario extends Ground {
  /** What was done before, one after the other and without mishaps. */
  readonly before?: readonly Act[];
  /** What goes on at the same time. */
  readonly acts: readonly Act[];
  /** Most calls that go wrong and invocations that die, in one schedule. */
  readonly mishaps: number;
  /** Whether so much time may pass once that whatever runs is over, killed by its timeout, and its lease ends. */
  readonly canWait?: boolean;
}

/** From one invocation's begin to beyond its lease. */
const waitMs = functionMs + 6_000;
const minute = 60_000;

/** Of an invocation that is over only a good answer counts: a bad one says as little as none. */
function stateOf({ isDead, answer, history }: Actor<Told>): unknown {
  if (!isDead && answer === undefined) return history;
  return isDead || (answer?.status ?? 0) >= 300 ? "over" : answer;
}

/** Every order of the calls of these invocations, with mishaps in between; then time passes and the reaper runs. */
export async function kiciWalk(scenario: Scenario): Promise<Walk> {
  const world = new InterleavingWorld(scenario);
  for (const act of scenario.before ?? []) await world.act(act);
  const actors = scenario.acts.map((act, index) => world.actor(`${act}${index + 1}`, act));
  let mishaps = scenario.mishaps;
  let waits = scenario.canWait ? 1 : 0;
  const told = (act: Act) => actors.filter((_, index) => scenario.acts[index] === act).map(({ answer }) => answer);

  /** Alike invocations that have not begun are begun in their order. */
  const mayMove = (actor: Actor<Told>, index: number) =>
    !actor.isOver &&
    (actor.isBegun ||
      actors.every((other, at) => at >= index || scenario.acts[at] !== scenario.acts[index] || other.isBegun));

  return {
    choices() {
      const moves = actors.flatMap((actor, index) => {
        if (!mayMove(actor, index)) return [];
        const fates = mishaps > 0 ? ["go", ...actor.mishaps] : ["go"];
        return fates.map((fate) => `${actor.name} ${fate}`);
      });
      const isUseful = waits > 0 && moves.length > 0 && actors.some(({ isBegun }) => isBegun);
      return isUseful ? [...moves, "wait"] : moves;
    },
    async take(choice) {
      if (choice === "wait") {
        waits -= 1;
        for (const actor of actors) if (actor.isBegun && !actor.isOver) actor.die();
        world.clock.advance(waitMs);
      } else {
        const [name, fate = ""] = choice.split(" ");
        if (fate !== "go") mishaps -= 1;
        await actors.find((actor) => actor.name === name)?.move(fate);
      }
      return world.wrong;
    },
    state: async () => JSON.stringify([mishaps, waits, await world.state(), actors.map(stateOf)]),
    async end() {
      const wrong: string[] = [];
      const must = (holds: boolean, what: string) => void (holds || wrong.push(what));
      const isUndisturbed = mishaps === scenario.mishaps && (scenario.canWait ? waits === 1 : true);
      const record = world.record();
      const isWithdrawn = record?.withdrawn !== undefined;
      const alive = world.alive().length;

      must(told("up").filter((each) => each?.status === 201).length <= 1, "two scale-ups were told 201");
      for (const each of told("up")) {
        const { status = "", instanceId } = each?.body ?? {};
        if (status === "withdrawn") must(isWithdrawn, "told withdrawn without a withdrawal");
        if (status === "launched") must(record?.instanceId === instanceId, "told launched, and not in the ledger");
      }
      for (const each of told("down")) {
        if (each?.status === 200) must(isWithdrawn, "a scale-down was answered and not recorded");
        if (each?.body.status === "absent") must(alive === 0, "told absent while an instance runs");
      }
      must(alive <= (await world.places()), "an instance runs without a place under the cap");
      if (isUndisturbed && isWithdrawn && !scenario.describeLagMs) must(alive === 0, "the reaper was needed");

      await later(5);
      if (isWithdrawn) must(world.alive().length === 0, "an instance survived its scale-down and a reaper run");
      else must(world.alive().length === alive, "the reaper ended an instance that nobody withdrew");
      await later(15);
      must(world.alive().length === (await world.places()), "a place without an instance, or the other way round");
      await later(121);
      must(world.alive().length === 0, "an instance outlived its expiry");
      await later(15);
      must((await world.places()) === 0, "a place is taken though nothing runs");
      return [...wrong, ...world.wrong];

      async function later(minutes: number): Promise<void> {
        world.clock.advance(minutes * minute);
        world.cloud.settle();
        const { status } = await world.act("reap");
        must(status === 200, "a reaper run failed");
      }
    },
  };
}
