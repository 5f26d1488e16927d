import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ControlPlaneError, ControlPlaneUnreachable, OddAnswer } from "../../lib/helmr/control-plane.ts";
import { errorAnswer } from "../../lib/helmr/error-envelope.ts";
import { deployment, workerGroup, workerHost, workerHosts, workerPool } from "../../lib/helmr/inventory-answers.ts";
import { plan, resourcePolicy } from "../../lib/helmr/plan-answers.ts";
import { pendingReceipt, receipt } from "../../lib/helmr/receipt-answers.ts";
import {
  deploymentAnswer,
  groupAnswer,
  hostAnswer,
  ids,
  planAnswer,
  policyAnswer,
  poolAnswer,
  receiptAnswer,
  testToken,
} from "./answers.ts";

const keyedReceipt = (value: unknown) => receipt(value, ids.key);

/** Every decoder, an answer it takes, and the fields without which nothing may be concluded. */
const decoders: [string, (value: unknown) => unknown, Record<string, unknown>, string[]][] = [
  ["group", workerGroup, groupAnswer, ["id", "name", "region_id", "status", "claim_version", "supply_fingerprint"]],
  ["pool", workerPool, poolAnswer, ["id", "worker_group_id", "name", "status", "claim_version"]],
  [
    "host",
    workerHost,
    hostAnswer,
    ["id", "resource_id", "worker_group_id", "worker_pool_id", "status", "claim_version", "created_at", "updated_at"],
  ],
  ["host list", workerHosts, { worker_hosts: [hostAnswer] }, ["worker_hosts"]],
  [
    "plan",
    plan,
    planAnswer,
    [
      "worker_group_id",
      "worker_group_name",
      "region_id",
      "group_status",
      "pools",
      "unmatched_demand",
      "complete",
      "computed_at",
    ],
  ],
  [
    "plan's pool",
    (value) => plan({ ...planAnswer, pools: [value] }),
    planAnswer.pools[0] ?? {},
    [
      "pool_id",
      "pool_name",
      "recommended_additional_workers",
      "compatible_queued_items",
      "registering_workers",
      "active_workers",
      "complete",
      "saturated",
      "scale_in_blocked",
    ],
  ],
  ["policy", resourcePolicy, policyAnswer, ["revision", "optional", "local_headroom_slots"]],
  [
    "policy's limits",
    (value) => resourcePolicy({ ...policyAnswer, optional: value }),
    policyAnswer.optional,
    Object.keys(policyAnswer.optional),
  ],
  ["receipt", keyedReceipt, receiptAnswer, ["phase"]],
  ["pending receipt", pendingReceipt, { operation: receiptAnswer }, ["operation"]],
  [
    "deployment",
    deployment,
    deploymentAnswer,
    ["release", "worker_revision", "applied_schema_version", "schema_dirty"],
  ],
];

const wrongValues = [undefined, null, "", "x".repeat(5_000), -1, 1.5, 2 ** 60, true, {}, [], [[]], { operation: 1 }];

describe.each(decoders)("a %s", (_name, decode, whole, required) => {
  it("is taken as the contract shapes it, fields of the future included", () => {
    expect(() => decode({ ...whole, another_field_of_the_future: [{}] })).not.toThrow();
  });

  it.each(required)("without a readable %s is an odd answer", (field) => {
    const { [field]: good, ...rest } = whole;
    expect(() => decode(rest)).toThrow(OddAnswer);
    for (const wrong of wrongValues) {
      if (typeof wrong === typeof good && typeof wrong !== "object" && typeof wrong !== "number" && wrong !== "")
        continue;
      if (Array.isArray(wrong) && Array.isArray(good)) continue;
      if (field === "operation" && wrong === null) continue;
      if (field === "worker_revision" && (typeof wrong === "number" || typeof wrong === "string")) continue;
      expect(() => decode({ ...whole, [field]: wrong }), `${field} = ${JSON.stringify(wrong)}`).toThrow(OddAnswer);
    }
  });

  it("names the field in its error and never a value", () => {
    const [field = ""] = required;
    const { message } = catchError(() => decode({ ...whole, [field]: { secret: "hunter2" } }));
    expect(message).not.toContain("hunter2");
  });

  it("never fails in another way, whatever arrives", () => {
    const key = fc.oneof(
      fc.constantFrom(...Object.keys(whole), "__proto__", "constructor", "complete", "profiles"),
      fc.string(),
    );
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom<unknown>(...Object.values(whole)));
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(key, value)), fc.boolean(), (junk, isPatch) => {
        const text = JSON.stringify(isPatch && typeof junk === "object" ? { ...whole, ...junk } : junk);
        try {
          decode(JSON.parse(text));
        } catch (error) {
          expect(error).toBeInstanceOf(ControlPlaneUnreachable);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("unknown words", () => {
  it.each([
    ["group status", () => workerGroup({ ...groupAnswer, status: "Active" }).status],
    ["pool status", () => workerPool({ ...poolAnswer, status: "sealed" }).status],
    ["host status", () => workerHost({ ...hostAnswer, status: "ACTIVE" }).status],
    ["receipt phase", () => keyedReceipt({ ...receiptAnswer, phase: "termination-ready" }).phase],
    ["plan's group status", () => plan({ ...planAnswer, group_status: "unknown" }).group_status],
  ])("in a %s are unknown, never a guess", (_name, read) => {
    expect(read()).toBe("unknown");
  });

  it("a drain reason that is not ours is kept as it is", () => {
    expect(workerHost({ ...hostAnswer, drain_reason: "shutdown" }).drain_reason).toBe("shutdown");
  });
});

describe("fields that appear when they apply", () => {
  it("are absent when they are null or empty", () => {
    const { drain_reason, lost_at } = workerHost({ ...hostAnswer, drain_reason: "", lost_at: null });
    expect([drain_reason, lost_at]).toEqual([undefined, undefined]);
    expect(workerGroup({ ...groupAnswer, primary_pool_id: "" })).not.toHaveProperty("primary_pool_id");
    expect(deployment({ ...deploymentAnswer, source_commit: "" })).not.toHaveProperty("source_commit");
  });

  it("must be readable where they are there", () => {
    expect(() => workerHost({ ...hostAnswer, current_epoch: "3" })).toThrow(OddAnswer);
    expect(() => workerHost({ ...hostAnswer, lost_at: "yesterday" })).toThrow(OddAnswer);
    expect(() => keyedReceipt({ ...receiptAnswer, worker_host_id: 3 })).toThrow(OddAnswer);
    expect(() => keyedReceipt({ ...receiptAnswer, claim_version: "2" })).toThrow(OddAnswer);
  });
});

describe("what is only shown", () => {
  it("profiles without a plain complete: true are not complete", () => {
    for (const retained_profiles of [
      [],
      [{}],
      { profiles: [] },
      { complete: true },
      { profiles: [], complete: "true" },
    ]) {
      expect(workerGroup({ ...groupAnswer, retained_profiles }).retained_profiles?.complete).toBe(false);
    }
    expect(workerGroup(groupAnswer).retained_profiles?.complete).toBe(true);
  });

  it("blockers under other names are absent, not zero", () => {
    expect(workerHost({ ...hostAnswer, drain_blockers: { instances: 3 } }).drain_blockers).toEqual({});
  });
});

describe("a plan", () => {
  it("that holds one pool twice is odd", () => {
    expect(() => plan({ ...planAnswer, pools: [...planAnswer.pools, ...planAnswer.pools] })).toThrow(OddAnswer);
  });
});

describe("an error answer", () => {
  it("is always a ControlPlaneError with a code of the known form", () => {
    fc.assert(
      fc.property(fc.integer({ min: 400, max: 599 }), fc.oneof(fc.string(), fc.json()), (status, body) => {
        const error = errorAnswer(status, body, testToken);
        expect(error).toBeInstanceOf(ControlPlaneError);
        expect(error.code).toMatch(/^[a-z][a-z0-9_]*$/);
        expect(error.status).toBe(status);
      }),
    );
  });
});

function catchError(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    return error as Error;
  }
  throw new Error("Nothing was thrown.");
}
