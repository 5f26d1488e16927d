import { ledgerPauses } from "../../../lib/helmr/pause.ts";
import { ledgerRecords } from "../../../lib/ledger/records.ts";
import type { Play, SimulatedWorld, Stage } from "../runner.ts";
import { invocations } from "./invocations.ts";
import { people } from "./people.ts";
import { isSettled, notSettled } from "./recovery.ts";
import { losses } from "./rules/losses.ts";
import { mutations } from "./rules/mutations.ts";
import { raises } from "./rules/raises.ts";
import { scaleIns } from "./rules/scale-ins.ts";
import { terminations } from "./rules/terminations.ts";
import { buildScene } from "./scene.ts";
import { together } from "./witness.ts";

const minuteMs = 60_000;
/** From trouble's end to a world at rest: work that still runs, then each host's own idle time, drain and end. */
const restMinutes = 75;

/** Helmr's whole protocol against our whole reconciler, until everything is well and at rest again. */
export const world: SimulatedWorld = {
  name: "helmr",
  begin(stage: Stage): Play {
    const found: string[] = [];
    const scene = buildScene(stage, (rule, what) => void found.push(`${rule}: ${what}`));
    const { time, setting, groups } = scene;
    const chance = scene.chance.fork();
    scene.tell(JSON.stringify(setting));
    const ends = terminations(scene);
    const every = mutations(scene);
    const runs = invocations(scene, together([ends, raises(scene), losses(scene), scaleIns(scene), every]));
    let tokens = 0;
    const records = ledgerRecords(scene.table, time, () => `operator.${tokens++}`);
    const crowd = people(scene, ledgerPauses(records, time), every.paused);
    watch(scene);

    const wellAt = time.now() + setting.troubledMinutes * minuteMs;
    let endsAt = wellAt + restMinutes * minuteMs;
    let thrown = 0;
    const repeat = (everyMs: () => number, act: () => void) => {
      time.after(everyMs(), () => {
        act();
        repeat(everyMs, act);
      });
    };

    for (const { workload } of groups) time.after(minuteMs, () => workload.generate(wellAt));
    const start = () => {
      if (scene.isTroubled && chance.is(0.05)) return;
      time.after(chance.whole(0, scene.isTroubled ? setting.jitterMs : 5_000), runs.start);
      if (scene.isTroubled && chance.is(0.1)) time.after(chance.whole(0, 30_000), runs.start);
    };
    start();
    repeat(() => minuteMs, start);
    repeat(
      () => 30_000,
      () => {
        if (scene.isTroubled && chance.is(setting.accidents)) crowd.accident();
      },
    );
    repeat(() => minuteMs, crowd.attend);
    time.at(wellAt, () => {
      crowd.makeWell();
      thrown = runs.ended.length;
    });
    repeat(
      () => 10_000,
      () => {
        if (!scene.isTroubled && isSettled(scene)) endsAt = time.now();
      },
    );

    return {
      get endsAt() {
        return endsAt;
      },
      broken() {
        ends.broken();
        return found;
      },
      brokenAtEnd() {
        const failed = runs.ended
          .slice(thrown)
          .flatMap((run) => ("thrown" in run ? [`threw: ${String(run.thrown)}`] : []));
        return [...failed, ...notSettled(scene)];
      },
    };
  },
};

/** What the world does, for whoever replays a seed. */
function watch({ cloud, model, tell }: ReturnType<typeof buildScene>): void {
  cloud.on((event) => {
    if (event.type === "scaling-activity") return;
    const { at: _, type, ...rest } = event;
    tell(`  aws ${type} ${Object.values(rest).join(" ")}`);
  });
  model.on((event) => {
    if (event.type === "plan") return;
    const { at: _, type, ...rest } = event;
    tell(`  helmr ${type} ${Object.values(rest).join(" ")}`);
  });
}
