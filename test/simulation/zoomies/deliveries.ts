import type { ControllerParts } from "../../../infra/local/zoomies/controller.ts";
import type { Chance } from "../chance.ts";
import { isCalm, type ZoomiesStage } from "./stage-parts.ts";

/** The way from the controller to the webhook: events get lost, come twice or late, and nobody answers while Drover is down. */
export function deliveries(
  stage: () => ZoomiesStage,
  chance: Chance,
  isDown: () => boolean,
): Pick<ControllerParts, "post" | "wait"> {
  let lastLost: string | undefined;
  return {
    wait: (ms) => stage().time.sleep(ms),
    async post(_url, request, timeoutMs) {
      const { time, drover, setting } = stage();
      const { lost, duplicated, delayed } = isCalm(stage()) ? noEvents : setting.hazards.events;
      const late = new Promise<never>((_, reject) => {
        time.after(timeoutMs, () => reject(new Error("no answer in time")));
      });
      // A race that is over leaves the loser's rejection to nobody.
      late.catch(() => {});
      const there = async () => {
        if (isDown()) throw new Error("nobody answers");
        if (chance.is(delayed)) await time.sleep(chance.between(1_000, 90_000));
        return drover.receive(request);
      };
      // All tries of an event go out within a moment, so what loses one loses them all.
      const id = request.headers["X-Zoomies-Event-Id"] ?? "";
      if (lastLost !== id && chance.is(lost / 2)) lastLost = id;
      if (lastLost === id) throw new Error("lost on the way");
      if (chance.is(duplicated)) void there().catch(() => {});
      const answer = await Promise.race([there(), late]);
      if (chance.is(lost / 2)) throw new Error("the reply was lost");
      return { ...answer, body: "" };
    },
  };
}

const noEvents = { lost: 0, duplicated: 0, delayed: 0 };
