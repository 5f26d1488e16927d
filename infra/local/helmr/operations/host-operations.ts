import { hostStatuses } from "../../../../lib/helmr/protocol.ts";
import { drain } from "../model/drain.ts";
import { listHosts, parseLimit } from "../model/host-list.ts";
import { confirmLost } from "../model/loss.ts";
import { receiptOf, unsettled } from "../model/receipts.ts";
import { badRequest } from "../model/refusal.ts";
import { groupOf, hostOf } from "../model/region.ts";
import { scaleIn } from "../model/scale-in.ts";
import type { HostState } from "../model/state.ts";
import type { Operation, Query } from "./operation.ts";
import { optionalId } from "./query.ts";
import { canonicalText } from "./request-fields.ts";
import { hostShape, keyedReceipt, receiptShape } from "./wire-shapes.ts";

const mostResources = 500;
const longestResource = 512;
const host = "/worker-hosts/{host}";
const group = "/worker-groups/{group}";

export const scaleInOperation: Operation = {
  method: "POST",
  path: `${group}/pools/{pool}/scale-in`,
  fields: ["operation_key"],
  perform(region, { params, body }) {
    const receipt = scaleIn(region, params.group ?? "", params.pool ?? "", body.id("operation_key"));
    return receiptShape(region, receipt);
  },
};

export const pendingOperation: Operation = {
  method: "GET",
  path: `${group}/scale-in-operations/pending`,
  perform(region, { params }) {
    const receipt = unsettled(region, groupOf(region, params.group ?? "").id);
    return { operation: receipt === undefined ? null : receiptShape(region, receipt) };
  },
};

export const keyedOperation: Operation = {
  method: "GET",
  path: `${group}/scale-in-operations/{key}`,
  perform(region, { params }) {
    const { id } = groupOf(region, params.group ?? "");
    return keyedReceipt(region, region.settings, receiptOf(region, id, params.key ?? ""));
  },
};

export const deployment: Operation = {
  method: "GET",
  path: "/deployment",
  headers: { "cache-control": "no-store" },
  perform: (region) => ({ ...region.deployment }),
};

export const listOperation: Operation = {
  method: "GET",
  path: "/worker-hosts",
  query: {
    worker_group_id: "once",
    resource_id: "repeated",
    status: "repeated",
    has_unreclaimed_instance: "once",
    limit: "once",
  },
  perform(region, { query }) {
    const groupId = optionalId(query, "worker_group_id");
    const resourceIds = resources(query);
    const statuses = query.get("status")?.map(status);
    const rows = listHosts(region, {
      ...(groupId === undefined ? {} : { groupId }),
      ...(resourceIds === undefined ? {} : { resourceIds }),
      ...(statuses === undefined ? {} : { statuses }),
      unreclaimed: unreclaimed(query.get("has_unreclaimed_instance")?.[0]),
      limit: parseLimit(query.get("limit")?.[0]),
    });
    return { worker_hosts: rows.map(hostShape) };
  },
};

export const getOperation: Operation = {
  method: "GET",
  path: host,
  perform: (region, { params }) => hostShape(hostOf(region, params.host ?? "")),
};

export const drainOperation: Operation = {
  method: "POST",
  path: `${host}/drain`,
  fields: ["expected_epoch", "expected_claim_version", "reason"],
  perform(region, { params, body }) {
    const request = {
      expected_epoch: body.whole("expected_epoch", 1),
      expected_claim_version: body.whole("expected_claim_version", 1),
      reason: body.text("reason"),
    };
    return hostShape(drain(region, params.host ?? "", request));
  },
};

export const lostOperation: Operation = {
  method: "POST",
  path: `${host}/lost`,
  perform: (region, { params }) => hostShape(confirmLost(region, params.host ?? "")),
};

function resources(query: Query): readonly string[] | undefined {
  const ids = query.get("resource_id");
  if (ids === undefined) return undefined;
  if (ids.length > mostResources || new Set(ids).size < ids.length) {
    throw badRequest("resource_id is given twice or too often");
  }
  for (const id of ids) {
    if (Buffer.byteLength(canonicalText("resource_id", id)) > longestResource)
      throw badRequest("resource_id is too long");
  }
  return ids;
}

function status(value: string): HostState {
  const known = hostStatuses.find((each) => each === value);
  if (known === undefined) throw badRequest("unknown status");
  return known;
}

function unreclaimed(value: string | undefined): boolean {
  if (value !== undefined && value !== "true") throw badRequest("has_unreclaimed_instance takes true only");
  return value === "true";
}
