/** What each expectation about the stand-in controller rests on: the contract's own words, or the notes beside it. */
export const notes = {
  capacityDemand: "contract: when queued work has nowhere to run",
  scaleDown: "contract: only after excess idle host capacity remains continuously visible for the cooldown",
  reading: "contract: current_capacity is the eligible runner capacity Zoomies counted when it looked",
  neverDeletes: "contract: Zoomies deliberately never performs infrastructure deletion",
  currentCapacity: "notes 3: the sum of configured slots of eligible hosts, busy or not",
  health: "notes 3 and 4: healthy is a heartbeat younger than 90 s",
  loss: "notes 4: after 5 min of silence its runners are failed and their jobs lost; no row is deleted",
  errors: "notes 4: errors are {error:{code,message,field,detail}}",
  contentType: "notes 4: mutations need Content-Type: application/json",
  paging:
    "notes 4: long lists return items, total, limit (at most 500, 50 by default), offset; hosts and pools come whole",
  access: "notes 4: role and scope must both allow; a scope on a resource implies reading it",
  cordon: "notes 4: cordon is idempotent, returns the host, interrupts no job",
  runners: "notes 4: removed and failed runners are hidden unless include_removed",
  drain: "notes 4: an idle runner goes; a busy one is refused with 409 unless confirmed",
  deleteHost: "notes 4: 204; 409 while it has live runners unless forced; 404 if it is gone",
  mint: "notes 5: ttl 15m and capacity 2 by default; the token's text in the answer to its mint only",
  singleUse: "notes 5: single use, revocable, dead at the end of its ttl",
  overrides: "notes 5: token labels override the agent's, a token capacity above 0 overrides the agent's",
  usedBy: "notes 4: used_by_id is the host it became",
  names: "notes 4: names are unique and cannot be taken over",
  staleSnapshot: "notes 4, step 4: a pass whose snapshot predates the cordon can still place a runner",
  idleTakesJobs: "notes 3, trap 8: GitHub can hand a job to an idle runner at any time",
  shared: "notes 3, trap 1: every pool that matches a host counts all its slots",
  incompatible: "notes 5: incompatible hosts are excluded like cordoned ones",
} as const;

/** A test's name with its source. */
export const says = (sentence: string, note: keyof typeof notes): string => `${sentence} (${notes[note]})`;
