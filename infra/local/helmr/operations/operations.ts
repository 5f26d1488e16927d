import type { ControlPlaneModel } from "../model/control-plane-model.ts";
import { badRequest } from "../model/refusal.ts";
import {
  createPoolOperation,
  disablePoolOperation,
  planOperation,
  putPolicy,
  putPrimary,
  readPolicy,
  resolveGroup,
  resolvePool,
} from "./group-operations.ts";
import {
  deployment,
  drainOperation,
  getOperation,
  keyedOperation,
  listOperation,
  lostOperation,
  pendingOperation,
  scaleInOperation,
} from "./host-operations.ts";
import type { Call, Operation, OperationName } from "./operation.ts";
import { assertQuery } from "./query.ts";
import { canonicalId, requestFields } from "./request-fields.ts";

/** Every operation of the contract but the update stream. */
export const operations: Readonly<Record<OperationName, Operation>> = {
  resolveGroup,
  resolvePool,
  plan: planOperation,
  resourcePolicy: readPolicy,
  replaceResourcePolicy: putPolicy,
  scaleIn: scaleInOperation,
  pendingScaleIn: pendingOperation,
  scaleInReceipt: keyedOperation,
  setPrimaryPool: putPrimary,
  deployment,
  hosts: listOperation,
  host: getOperation,
  drain: drainOperation,
  lost: lostOperation,
  createPool: createPoolOperation,
  disablePool: disablePoolOperation,
};

/** Checks a call as strictly as the contract says and performs it. Throws Refusal. The answer is JSON of its own. */
export function perform(model: ControlPlaneModel, name: OperationName, call: Call): unknown {
  const operation = operations[name];
  model.settle();
  for (const [param, value] of Object.entries(call.params)) canonicalId(param, value);
  assertQuery(call.query, operation.query);
  if (operation.fields === undefined && call.body !== undefined) throw badRequest("the request takes no body");
  const body = requestFields(call.body ?? {}, operation.fields ?? []);
  return operation.perform(model.region, { params: call.params, query: call.query, body });
}
