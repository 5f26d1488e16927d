import { clockSkew, concurrency } from "./checks/account.ts";
import { fleetTags, servesNothing } from "./checks/fleet-tags.ts";
import { headroom } from "./checks/headroom.ts";
import { helmr } from "./checks/helmr.ts";
import { hooks } from "./checks/hooks.ts";
import { hostRole } from "./checks/host-role.ts";
import { instanceProfile } from "./checks/instance-profile.ts";
import { launchTemplates } from "./checks/launch-templates.ts";
import { safeToGrow, safeToShrink } from "./checks/safety.ts";
import { secrets } from "./checks/secrets.ts";
import { poolsServedTwice, scalersServedTwice } from "./checks/shared-pools.ts";
import { configuration, forNow, stackState } from "./checks/stack.ts";
import { subnets } from "./checks/subnets.ts";
import { tagLimits } from "./checks/tag-limits.ts";
import { unread } from "./checks/unread.ts";
import { zoomiesApi } from "./checks/zoomies-api.ts";
import type { Check, Diagnosis } from "./diagnosis.ts";
import type { Facts } from "./facts.ts";

const checks: readonly Check[] = [
  stackState,
  configuration,
  unread,
  fleetTags,
  servesNothing,
  tagLimits,
  poolsServedTwice,
  scalersServedTwice,
  safeToGrow,
  safeToShrink,
  headroom,
  launchTemplates,
  instanceProfile,
  subnets,
  hooks,
  secrets,
  hostRole,
  zoomiesApi,
  helmr,
  clockSkew,
  concurrency,
  forNow,
];

/** Everything that a person should change, errors first. */
export function diagnose(facts: Facts): Diagnosis[] {
  const found = checks.flatMap((check) => check(facts));
  return [
    ...found.filter(({ severity }) => severity === "error"),
    ...found.filter(({ severity }) => severity !== "error"),
  ];
}
