import { plan } from "../model/plan.ts";
import { assertPoolName, createPool, disablePool, replacePolicy, setPrimaryPool } from "../model/pools.ts";
import { badRequest, notFound } from "../model/refusal.ts";
import { groupOf, poolOf } from "../model/region.ts";
import { optionalFields, type Policy } from "../model/state.ts";
import type { Operation } from "./operation.ts";
import { requiredText } from "./query.ts";
import { groupIdentity, groupShape, policyShape, poolShape } from "./wire-shapes.ts";

const mostPools = 64;
const mostAdditional = 1_000;
const group = "/worker-groups/{group}";
const pool = `${group}/pools/{pool}`;

export const resolveGroup: Operation = {
  method: "GET",
  path: "/worker-groups/resolve",
  query: { region_id: "once", name: "once" },
  perform(region, { query }) {
    const regionId = requiredText(query, "region_id");
    const name = requiredText(query, "name");
    for (const each of region.groups.values()) {
      if (each.regionId === regionId && each.name === name) return groupShape(each);
    }
    throw notFound("worker group");
  },
};

export const resolvePool: Operation = {
  method: "GET",
  path: `${group}/pools/resolve`,
  query: { name: "once" },
  perform(region, { params, query }) {
    const name = requiredText(query, "name");
    const found = groupOf(region, params.group ?? "");
    for (const each of found.pools.values()) if (each.name === name) return poolShape(found, each);
    throw notFound("worker pool");
  },
};

export const planOperation: Operation = {
  method: "POST",
  path: `${group}/plan`,
  fields: ["expected_supply_fingerprint", "observed_at", "pools"],
  perform(region, { params, body }) {
    const rows = body.objects("pools", ["pool_id", "max_additional_workers", "active_workers", "registering_workers"]);
    if (rows.length < 1 || rows.length > mostPools) throw badRequest("a plan covers 1 to 64 pools");
    const pools = rows.map((row) => ({
      pool_id: row.id("pool_id"),
      max_additional_workers: row.whole("max_additional_workers", 0, mostAdditional),
      active_workers: row.whole("active_workers", 0),
      registering_workers: row.whole("registering_workers", 0),
    }));
    if (new Set(pools.map((each) => each.pool_id)).size < pools.length) throw badRequest("a pool is given twice");
    return plan(region, params.group ?? "", {
      expected_supply_fingerprint: body.text("expected_supply_fingerprint"),
      observed_at: body.time("observed_at"),
      pools,
    });
  },
};

export const readPolicy: Operation = {
  method: "GET",
  path: `${pool}/resource-policy`,
  perform: (region, { params }) => policyShape(poolOf(region, params.group ?? "", params.pool ?? "")),
};

export const putPolicy: Operation = {
  method: "PUT",
  path: `${pool}/resource-policy`,
  fields: ["expected_revision", "optional", "local_headroom_slots"],
  perform(region, { params, body }) {
    const limits = body.object("optional", optionalFields);
    const entries = optionalFields.map((field) => [field, limits.whole(field, 0)]);
    const next = {
      optional: Object.fromEntries(entries) as Policy["optional"],
      local_headroom_slots: body.whole("local_headroom_slots", 0),
    };
    const found = poolOf(region, params.group ?? "", params.pool ?? "");
    replacePolicy(region, found, body.whole("expected_revision", 1), next);
    return policyShape(found);
  },
};

export const putPrimary: Operation = {
  method: "PUT",
  path: `${group}/primary-pool`,
  fields: ["expected_group_claim_version", "minimum_ready_hosts", "pool_id"],
  perform(region, { params, body }) {
    const { group: found, applied } = setPrimaryPool(region, params.group ?? "", {
      expected_group_claim_version: body.whole("expected_group_claim_version", 1),
      minimum_ready_hosts: body.whole("minimum_ready_hosts", 1),
      pool_id: body.id("pool_id"),
    });
    return { worker_group: groupIdentity(found), applied };
  },
};

export const createPoolOperation: Operation = {
  method: "POST",
  path: `${group}/pools`,
  status: 201,
  fields: ["name", "expected_group_claim_version"],
  perform(region, { params, body }) {
    const name = body.text("name");
    assertPoolName(name);
    const claim = body.whole("expected_group_claim_version", 1);
    const created = createPool(region, params.group ?? "", name, claim);
    return poolShape(groupOf(region, created.groupId), created);
  },
};

export const disablePoolOperation: Operation = {
  method: "POST",
  path: `${pool}/disable`,
  fields: ["expected_pool_claim_version"],
  perform(region, { params, body }) {
    const claim = body.whole("expected_pool_claim_version", 1);
    const disabled = disablePool(region, params.group ?? "", params.pool ?? "", claim);
    return poolShape(groupOf(region, disabled.groupId), disabled);
  },
};
