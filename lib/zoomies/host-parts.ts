import type { Hooks } from "../capacity/hooks.ts";
import type { InstanceStates } from "../capacity/instance-states.ts";
import type { Shrink } from "../capacity/shrink.ts";
import type { HostsApi, JoinsApi } from "./api.ts";
import type { HostActs } from "./host-acts.ts";
import type { HostSettings } from "./host-observation.ts";
import type { DemandParts } from "./parts.ts";

/** What the host half of Zoomies works with besides, where the API's address is set. */
export interface HostParts {
  readonly hosts: HostsApi;
  readonly joins: JoinsApi;
  readonly shrink: Shrink;
  readonly hooks: Hooks;
  readonly states: InstanceStates;
  /** How decisions about hosts are carried out. */
  readonly acts: HostActs;
  readonly settings: Omit<HostSettings, "freshMs">;
}

export interface LifeParts extends DemandParts {
  readonly life: HostParts;
}
