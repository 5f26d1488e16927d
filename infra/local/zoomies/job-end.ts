import type { Job } from "./fleet.ts";

/** How a job came to its end: done, or cut short by whatever became of its host. */
export type JobEnd = {
  job: Job;
  /** The host's name. */
  host: string;
  at: number;
  /** `done`; `presumed lost` when the controller gave up a silent host; else who ended the machine. */
  how: string;
};
