import { Worker } from "node:worker_threads";
import type { Verdict } from "./runner.ts";

/** What a worker is started with: which world, changed by which mutant if any. */
export interface Assignment {
  readonly world: string;
  readonly mutant: string | undefined;
}

export interface ManySeeds extends Assignment {
  readonly seeds: readonly number[];
  /** Threads that play at once. */
  readonly atOnce: number;
  /** Whether the first broken seed ends it. */
  readonly untilBroken?: boolean;
  onVerdict?(verdict: Verdict): void;
}

/** Plays many seeds, each in one of several threads. What comes back is in the order of their ends. */
export async function playSeeds({ seeds, atOnce, untilBroken, onVerdict, ...workerData }: ManySeeds) {
  const verdicts: Verdict[] = [];
  const queue = [...seeds];
  const workers = Array.from({ length: Math.min(atOnce, seeds.length) }, () => {
    return new Worker(new URL("./seed-worker.ts", import.meta.url), { workerData });
  });
  const works = workers.map((worker) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const goOn = () => {
      const seed = queue.shift();
      if (seed === undefined) resolve();
      else worker.postMessage(seed);
    };
    worker.on("error", reject);
    worker.on("exit", (code) => reject(new Error(`A thread ended with ${code}.`)));
    worker.on("message", (verdict: Verdict) => {
      verdicts.push(verdict);
      onVerdict?.(verdict);
      if (untilBroken && verdict.violations.length > 0) queue.length = 0;
      goOn();
    });
    goOn();
    return promise;
  });
  try {
    await Promise.all(works);
  } finally {
    for (const worker of workers) worker.removeAllListeners();
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
  return verdicts;
}
