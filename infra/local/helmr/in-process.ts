import { answerFields } from "../../../lib/helmr/answer-fields.ts";
import {
  type ControlPlane,
  ControlPlaneError,
  ControlPlaneUnauthorized,
  ControlPlaneUnreachable,
} from "../../../lib/helmr/control-plane.ts";
import { listHosts } from "../../../lib/helmr/host-list.ts";
import {
  deployment,
  groupIdentity,
  workerGroup,
  workerHost,
  workerPool,
} from "../../../lib/helmr/inventory-answers.ts";
import { plan, resourcePolicy } from "../../../lib/helmr/plan-answers.ts";
import { pendingReceipt, receipt } from "../../../lib/helmr/receipt-answers.ts";
import { createHelmrFaults, type HelmrFaults, NoAnswer } from "./faults.ts";
import { queryOf } from "./http/request-query.ts";
import type { ControlPlaneModel } from "./model/control-plane-model.ts";
import { Refusal } from "./model/refusal.ts";
import type { OperationName, Query } from "./operations/operation.ts";
import { perform } from "./operations/operations.ts";

export interface InProcessOptions {
  /** The capacity token that this caller sends; without it, what the model accepts at that moment. */
  readonly token?: () => string;
  readonly faults?: HelmrFaults;
  /** Who asks: one name for each invocation that can die. */
  readonly caller?: string;
  /** Waits in the model's time, for delays. Without it a delay is a microtask. */
  readonly wait?: (ms: number) => Promise<void>;
  /** Milliseconds of the model's time after which the client gives up; the call may still have its effect. */
  readonly timeoutMs?: number;
}

/**
 * The port over the model itself, without sockets: the same checks as over HTTP, and answers read by the client's own
 * readers, so that an odd answer fails as it would there. Nothing is repeated by itself.
 */
export function inProcessControlPlane(model: ControlPlaneModel, options: InProcessOptions = {}): ControlPlane {
  const { faults = createHelmrFaults(), caller = "in-process", wait = () => Promise.resolve(), timeoutMs } = options;

  async function call(
    operation: OperationName,
    params: Record<string, string>,
    query: Query,
    body?: object,
  ): Promise<unknown> {
    const token = options.token?.();
    const effect = () => {
      if (token !== undefined) model.credential.check(`Bearer ${token}`);
      return perform(model, operation, { params, query, body });
    };
    const answer = faults.perform({ at: model.region.now(), operation, caller, params, body }, effect, wait);
    try {
      return await (timeoutMs === undefined ? answer : Promise.race([answer, giveUp(wait, timeoutMs)]));
    } catch (error) {
      throw asPortError(error);
    }
  }
  const none: Query = new Map();
  const about = (group: string, pool?: string) => (pool === undefined ? { group } : { group, pool });

  return {
    resolveGroup: async (regionId, name) =>
      workerGroup(
        await call(
          "resolveGroup",
          {},
          new Map([
            ["region_id", [regionId]],
            ["name", [name]],
          ]),
        ),
      ),
    resolvePool: async (group, name) =>
      workerPool(await call("resolvePool", about(group), new Map([["name", [name]]]))),
    plan: async (group, request) => plan(await call("plan", about(group), none, request)),
    resourcePolicy: async (group, pool) => resourcePolicy(await call("resourcePolicy", about(group, pool), none)),
    replaceResourcePolicy: async (group, pool, policy) =>
      resourcePolicy(await call("replaceResourcePolicy", about(group, pool), none, policy)),
    scaleIn: async (group, pool, operation_key) =>
      receipt(await call("scaleIn", about(group, pool), none, { operation_key }), operation_key),
    pendingScaleIn: async (group) => pendingReceipt(await call("pendingScaleIn", about(group), none)),
    scaleInReceipt: async (group, key) => receipt(await call("scaleInReceipt", { group, key }, none), key),
    async setPrimaryPool(group, request) {
      const fields = answerFields(await call("setPrimaryPool", about(group), none, request), "primary pool");
      return { worker_group: groupIdentity(fields.object("worker_group")), applied: fields.flag("applied") };
    },
    deployment: async () => deployment(await call("deployment", {}, none)),
    hosts: (filter) => {
      // The path is the one that the client would send; only its query matters here.
      const read = async <T>(path: string, decode: (value: unknown) => T): Promise<T> =>
        decode(await call("hosts", {}, queryOf(path)));
      return listHosts(read, filter);
    },
    host: async (host) => workerHost(await call("host", { host }, none)),
    drain: async (host, request) => workerHost(await call("drain", { host }, none, request)),
    lost: async (host) => workerHost(await call("lost", { host }, none)),
    createPool: async (group, request) => workerPool(await call("createPool", about(group), none, request)),
    disablePool: async (group, pool, request) =>
      workerPool(await call("disablePool", about(group, pool), none, request)),
  };
}

async function giveUp(wait: (ms: number) => Promise<void>, ms: number): Promise<never> {
  await wait(ms);
  throw new NoAnswer(`no answer within ${ms} ms`);
}

function asPortError(error: unknown): unknown {
  if (error instanceof NoAnswer) return new ControlPlaneUnreachable(error.message);
  if (!(error instanceof Refusal)) return error;
  const Kind = error.status === 401 ? ControlPlaneUnauthorized : ControlPlaneError;
  return new Kind(error.status, error.code, error.message);
}
