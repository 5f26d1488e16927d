import { describe, expect, test } from "vitest";
import { startControlPlane } from "../../../infra/local/helmr/server.ts";
import { rawRequest } from "./raw-request.ts";
import {
  acknowledge,
  activeHost,
  connected,
  occupy,
  registeringHost,
  type Setting,
  setting,
  transports,
} from "./setting.ts";

const resources = (rows: readonly { readonly resource_id: string }[]) => rows.map((row) => row.resource_id);

async function drained(world: Setting, resourceId: string) {
  const host = activeHost(world, resourceId);
  world.model.workers.beginShutdown(host.id, host.epoch ?? 0);
  acknowledge(world, host);
  return host;
}

describe.each(transports)("the inventory %s (contract: Reconcile Worker inventory; notes 1.1)", (_name, connect) => {
  test("rows come by group, then by resource, whatever the order of enrolment", async () => {
    const world = setting();
    for (const id of ["i-c", "i-a", "i-b"]) activeHost(world, id);
    const other = world.model.addGroup("other", world.group.regionId);
    world.model.addPool(other.id, "general");
    world.model.workers.enrol(other.id, "general", "i-0");
    await connected(connect, world, async (port) => {
      const all = await port.hosts({});
      const first = world.group.id < other.id ? ["i-a", "i-b", "i-c", "i-0"] : ["i-0", "i-a", "i-b", "i-c"];
      expect(resources(all.worker_hosts)).toEqual(first);
      expect(resources((await port.hosts({ worker_group_id: other.id })).worker_hosts)).toEqual(["i-0"]);
    });
  });

  test("a resource is one row: the live one, else the newest", async () => {
    const world = setting();
    const first = activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      await port.lost(first.id);
      world.clock.advance(1_000);
      const second = registeringHost(world, "i-a");
      expect((await port.hosts({})).worker_hosts).toMatchObject([{ id: second.id, status: "registering" }]);
      await port.lost(second.id);
      expect((await port.hosts({})).worker_hosts).toMatchObject([{ id: second.id, status: "lost" }]);
    });
  });

  test("a live row goes first among rows of one instant, whatever their ids", async () => {
    const world = setting();
    activeHost(world, "i-seal");
    await connected(connect, world, async (port) => {
      for (let index = 0; index < 12; index += 1) {
        await port.lost(registeringHost(world, `i-${index}`).id);
        registeringHost(world, `i-${index}`);
      }
      expect((await port.hosts({ statuses: ["registering"] })).worker_hosts).toHaveLength(12);
    });
  });

  test("the status filter works after that choice: the old row of a live resource stays hidden", async () => {
    const world = setting();
    const first = activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      await port.lost(first.id);
      expect((await port.hosts({ statuses: ["lost"] })).worker_hosts).toHaveLength(1);
      registeringHost(world, "i-a");
      expect((await port.hosts({ statuses: ["lost"] })).worker_hosts).toEqual([]);
    });
  });

  test("has_unreclaimed_instance works before it: the old row that still holds an instance shows", async () => {
    const world = setting();
    const first = activeHost(world, "i-a");
    occupy(world, first);
    activeHost(world, "i-b");
    await connected(connect, world, async (port) => {
      world.clock.advance(125_001);
      expect((await port.host(first.id)).status).toBe("lost");
      registeringHost(world, "i-a");
      const holding = await port.hosts({ has_unreclaimed_instance: true });
      expect(holding.worker_hosts).toMatchObject([{ id: first.id, status: "lost" }]);
    });
  });

  test("ended rows are kept, and found by their resource id", async () => {
    const world = setting();
    activeHost(world, "i-a");
    const ready = await drained(world, "i-b");
    await connected(connect, world, async (port) => {
      const live = await port.hosts({ statuses: ["registering", "active", "draining"] });
      expect(resources(live.worker_hosts)).toEqual(["i-a"]);
      const found = await port.hosts({ resource_ids: ["i-b", "i-unknown"] });
      expect(found.worker_hosts).toMatchObject([{ id: ready.id, status: "termination_ready" }]);
    });
  });

  test("500 rows are all that a list shows, and then it is taken for truncated", async () => {
    const world = setting();
    for (let index = 0; index < 499; index += 1) activeHost(world, `i-${String(index).padStart(4, "0")}`);
    await connected(connect, world, async (port) => {
      expect(await port.hosts({})).toMatchObject({ truncated: false });
      activeHost(world, "i-0499");
      activeHost(world, "i-0500");
      const full = await port.hosts({});
      expect(full.truncated).toBe(true);
      expect(full.worker_hosts).toHaveLength(500);
      expect(full.worker_hosts.at(-1)?.resource_id).toBe("i-0499");
    });
  });
});

test("without a limit there are 200 rows, and nothing says that more exist (notes 1.1)", async () => {
  const world = setting();
  for (let index = 0; index < 201; index += 1) activeHost(world, `i-${index}`);
  const server = await startControlPlane({ model: world.model });
  const answer = await rawRequest(server.url, "/capacity/v1/worker-hosts");
  await server.close();
  const body = answer.body as { worker_hosts: unknown[] };
  expect(body.worker_hosts).toHaveLength(200);
  expect(Object.keys(body)).toEqual(["worker_hosts"]);
});
