import { refusing } from "../edge/mode.ts";
import type { HostsApi, JoinsApi } from "./api.ts";

/** Zoomies as a stack that only observes has it: nothing is cordoned, drained, deleted, minted or revoked. */
export const observingHostsApi = (api: HostsApi): HostsApi => refusing(api, ["cordon", "drain", "deleteHost"]);
export const observingJoinsApi = (api: JoinsApi): JoinsApi => refusing(api, ["mint", "revoke"]);
