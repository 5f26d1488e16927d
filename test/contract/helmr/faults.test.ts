import { describe, expect, test } from "vitest";
import { createHelmrFaults, type HelmrFaults } from "../../../infra/local/helmr/faults.ts";
import { inProcessControlPlane } from "../../../infra/local/helmr/in-process.ts";
import { startControlPlane } from "../../../infra/local/helmr/server.ts";
import type { ControlPlane } from "../../../lib/helmr/control-plane.ts";
import { httpControlPlane } from "../../../lib/helmr/http-control-plane.ts";
import { activeHost, operationKey, type Setting, setting, token } from "./setting.ts";

type Run = (world: Setting, run: (port: ControlPlane, faults: HelmrFaults) => Promise<void>) => Promise<void>;

const inProcess: Run = async (world, run) => {
  const faults = createHelmrFaults();
  await run(inProcessControlPlane(world.model, { faults }), faults);
};

const overHttp: Run = async (world, run) => {
  const server = await startControlPlane({ model: world.model });
  const port = httpControlPlane({ baseUrl: server.url, token: async () => token, wait: async () => {} });
  try {
    await run(port, server.faults);
  } finally {
    port.close();
    await server.close();
  }
};

const unreachable = { name: "ControlPlaneUnreachable" };

describe.each([
  ["in process", inProcess],
  ["over HTTP", overHttp],
] as const)("what can go wrong with a call %s", (_name, within) => {
  test("a lost reply hides a scale-in that happened: the same key finds it", async () => {
    const world = setting();
    activeHost(world, "i-a");
    await within(world, async (port, faults) => {
      faults.add({ on: "scaleIn", at: { nth: 1 }, kind: "reply-lost" });
      const ask = () => port.scaleIn(world.group.id, world.pool.id, operationKey(1));
      await expect(ask()).rejects.toMatchObject(unreachable);
      expect(await port.pendingScaleIn(world.group.id)).toMatchObject({ operation_key: operationKey(1) });
      expect(await ask()).toMatchObject({ phase: "draining" });
    });
  });

  test("an unreachable server did nothing", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    await within(world, async (port, faults) => {
      faults.add({ on: "drain", kind: "unreachable" });
      const fence = { expected_epoch: 1, expected_claim_version: 1, reason: "replacement" } as const;
      await expect(port.drain(host.id, fence)).rejects.toMatchObject(unreachable);
      expect(host.status).toBe("active");
    });
  });

  test("an error comes in the envelope: the n-th call only, with the code that was asked for", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    await within(world, async (port, faults) => {
      faults.add({ on: "lost", at: { nth: 2 }, kind: "error", status: 409, message: "lock contention" });
      await port.lost(host.id);
      await expect(port.lost(host.id)).rejects.toMatchObject({ status: 409, code: "conflict" });
      await port.lost(host.id);
    });
  });

  test("an odd answer is one that proves nothing, and an unknown word permits nothing", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    await within(world, async (port, faults) => {
      const away = faults.add({ on: "host", kind: "odd", change: () => ({}) });
      await expect(port.host(host.id)).rejects.toMatchObject({ name: "OddAnswer" });
      away();
      faults.add({
        on: "host",
        kind: "odd",
        change: (answer) => ({ ...(answer as object), status: "fencing", more: 1 }),
      });
      expect((await port.host(host.id)).status).toBe("unknown");
    });
  });

  test("every call is in the log with its outcome, and no token", async () => {
    const world = setting();
    await within(world, async (port, faults) => {
      await port.deployment();
      await expect(port.host(operationKey(9))).rejects.toMatchObject({ status: 404 });
      expect(faults.calls.map(({ operation, outcome }) => [operation, outcome])).toEqual([
        ["deployment", "ok"],
        ["host", "not_found"],
      ]);
      expect(JSON.stringify(faults.calls)).not.toContain(token);
      expect(faults.count("deployment")).toBe(1);
    });
  });
});

describe("a caller that dies (in process)", () => {
  test.each([
    ["before", "active"],
    ["after", "draining"],
  ] as const)("%s the effect hears nothing, and neither does any later call of it", async (moment, status) => {
    const world = setting();
    const host = activeHost(world, "i-a");
    world.clock.advance(1_000);
    const spared = activeHost(world, "i-b");
    const faults = createHelmrFaults();
    const [dying, other] = ["one", "two"].map((caller) => inProcessControlPlane(world.model, { faults, caller }));
    faults.add({ on: "scaleIn", at: { nth: 1 }, kind: "kill", moment });
    await expect(dying?.scaleIn(world.group.id, world.pool.id, operationKey(1))).rejects.toMatchObject(unreachable);
    await expect(dying?.deployment()).rejects.toMatchObject(unreachable);
    await expect(dying?.lost(spared.id)).rejects.toMatchObject(unreachable);
    expect(spared.status).toBe("active");
    expect(await other?.deployment()).toMatchObject({ schema_dirty: false });
    expect(host.status).toBe(status);
    faults.clear();
    expect(await dying?.deployment()).toMatchObject({ schema_dirty: false });
  });

  test("a late call takes effect after its caller gave up", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    const faults = createHelmrFaults();
    const waits: { ms: number; go: () => void }[] = [];
    const wait = (ms: number) => new Promise<void>((go) => waits.push({ ms, go }));
    const port = inProcessControlPlane(world.model, { faults, wait, timeoutMs: 5_000 });
    faults.add({ on: "lost", kind: "delay", ms: 9_000, effect: "late" });
    const asked = port.lost(host.id);
    await Promise.resolve();
    waits.find((each) => each.ms === 5_000)?.go();
    await expect(asked).rejects.toMatchObject(unreachable);
    expect(host.status).toBe("active");
    waits.find((each) => each.ms === 9_000)?.go();
    await Promise.resolve();
    await Promise.resolve();
    expect(host.status).toBe("lost");
  });

  test("the token is checked at each call: a rotation refuses the old one", async () => {
    const world = setting();
    const port = inProcessControlPlane(world.model, { token: () => token });
    await port.deployment();
    world.model.credential.rotate("C".repeat(43));
    await expect(port.deployment()).rejects.toMatchObject({ status: 401, name: "ControlPlaneUnauthorized" });
  });
});
