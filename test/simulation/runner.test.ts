import { expect, test } from "vitest";
import { life, type Mishap, perilous } from "./crash-points.ts";
import { type Play, type Stage, simulate } from "./runner.ts";
import { virtualTime } from "./virtual-time.ts";

const hour = 3_600_000;
const playing = (begin: (stage: Stage) => Partial<Play>) => ({
  name: "made",
  begin: (stage: Stage): Play => ({
    endsAt: stage.time.now() + hour,
    broken: () => [],
    brokenAtEnd: () => [],
    ...begin(stage),
  }),
});

test("two plays of one seed are the same to the last step, and another seed's is another one", async () => {
  const world = playing(({ time, chance, tell }) => {
    const again = () => {
      tell(String(chance.random()));
      time.after(chance.whole(1, 100_000), again);
    };
    again();
    return {};
  });
  const stories = [1, 1, 2].map((): string[] => []);
  for (const [index, seed] of [1, 1, 2].entries()) {
    await simulate(world, seed, (line) => stories[index]?.push(line));
  }
  expect(stories[1]).toEqual(stories[0]);
  expect(stories[2]).not.toEqual(stories[0]);
});

test("a play ends at the first step that broke something, and the verdict says when", async () => {
  const world = playing(({ time }) => {
    let tokens = 3;
    for (let minute = 1; minute < 10; minute += 1) {
      time.after(minute * 60_000, () => {
        tokens -= 1;
      });
    }
    return { broken: () => (tokens < 1 ? ["no token is left"] : []) };
  });
  const verdict = await simulate(world, 7);
  expect(verdict.violations).toEqual(["0:03:00.000 no token is left"]);
  expect(verdict.steps).toBe(3);
});

test("timers of the code under test run on the virtual clock, and the real ones come back", async () => {
  const real = setTimeout;
  let firedAt = 0;
  const world = playing(({ time }) => {
    setTimeout(() => {
      firedAt = time.now();
    }, 1234);
    clearTimeout(setTimeout(() => expect.unreachable(), 10));
    const begun = time.now();
    return { brokenAtEnd: () => (firedAt - begun === 1234 ? [] : ["the timer did not fire"]) };
  });
  expect((await simulate(world, 1)).violations).toEqual([]);
  expect(setTimeout).toBe(real);
});

function counter(mishap: Mishap) {
  const time = virtualTime(0);
  const alive = life("program");
  const counted = { count: 0 };
  const target = {
    async add() {
      counted.count += 1;
      return counted.count;
    },
  };
  const port = perilous(target, "counter", alive, { time, latencyMs: () => 100, mishap: () => mishap });
  let heard: unknown = "nothing";
  port.add().then(
    (answer) => {
      heard = answer;
    },
    (error: Error) => {
      heard = error.message;
    },
  );
  return {
    alive,
    counted,
    port,
    async settled() {
      while (time.next() !== undefined) await time.step();
      return { heard, count: counted.count };
    },
  };
}

const error = new Error("hang up");

test.each<[string, Mishap, unknown, number]>([
  ["nothing befalls it", { kind: "none" }, 1, 1],
  ["the program dies before the effect", { kind: "crash", moment: "before" }, "nothing", 0],
  ["the program dies after the effect", { kind: "crash", moment: "after" }, "nothing", 1],
  ["it is refused", { kind: "refused", error }, "hang up", 0],
  ["its reply is lost", { kind: "reply-lost", error }, "hang up", 1],
  ["it lands late", { kind: "lands-late", error, afterMs: 5_000 }, "hang up", 1],
  ["the client repeats it", { kind: "repeated" }, 2, 2],
  ["the answer is odd", { kind: "odd", distort: () => "what?" }, "what?", 1],
])("a call is heard and has its effect as it should when %s", async (_what, mishap, heard, count) => {
  expect(await counter(mishap).settled()).toEqual({ heard, count });
});

test("a dead program's call under way has no effect, and its later calls have none either", async () => {
  const program = counter({ kind: "none" });
  program.alive.end();
  void program.port.add();
  expect(await program.settled()).toEqual({ heard: "nothing", count: 0 });
});
