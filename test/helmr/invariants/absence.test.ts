import { expect, test } from "vitest";
import { sightings } from "../../../lib/helmr/absence.ts";
import { FleetWorld } from "../fleet-world.ts";
import { noon, observation } from "../observed.ts";

const lostCalls = (world: FleetWorld) => world.helmr.calls.filter(({ operation }) => operation === "lost");
const absences = (world: FleetWorld) => world.events.filter(({ type }) => type === "absence-confirmed");

test("28. an instance that others ended is reported once EC2 calls it terminated in two cycles", async () => {
  const world = await new FleetWorld().seeded(2);
  const [host] = world.hostsIn("active");
  world.cloud.terminateByHand(host?.resourceId ?? "");
  // shutting-down is not absent.
  await world.pass(25, 5);
  expect(lostCalls(world)).toEqual([]);
  await world.pass(6);
  await world.cycle();
  expect(lostCalls(world)).toEqual([]);
  await world.pass(5, 5);
  expect(lostCalls(world)).toHaveLength(1);
  expect(host?.status).toBe("lost");
  expect(world.mutations()).toEqual([]);
});

test("28. a machine that its group does not list, and that lives, is never reported", async () => {
  const world = await new FleetWorld().seeded(2);
  const [host] = world.hostsIn("active");
  world.cloud.setMemberState(host?.resourceId ?? "", "Detached");
  await world.pass(1_800, 15);
  expect(lostCalls(world)).toEqual([]);
  expect(host?.status).toBe("active");
  expect(world.lines.some(({ fields }) => fields["code"] === "host_outside")).toBe(true);
});

test("28. not found proves the absence of an instance that our ledger once saw in our groups", async () => {
  const world = await new FleetWorld({ tags: { "drover:idle-minutes": "600" } }).seeded(2);
  await world.pass(300, 60);
  const [host] = world.hostsIn("active");
  const id = host?.resourceId ?? "";
  world.cloud.terminateByHand(id);
  // Nobody looks for longer than EC2 shows a terminated instance.
  await world.pass(2 * 3_600);
  expect(world.cloud.instance(id)).toBeUndefined();
  await world.pass(15, 5);
  expect(absences(world)).toHaveLength(1);
});

test("28. not found proves nothing for an instance that our ledger never saw: it is a finding", async () => {
  const world = await new FleetWorld().seeded();
  const host = world.model.workers.enrol(world.group.id, "general", "i-0123456789abcdef0");
  world.model.workers.authenticate(host.id);
  await world.pass(800, 15);
  expect(lostCalls(world)).toEqual([]);
  expect(world.lines.some(({ fields }) => fields["code"] === "unknown_instance")).toBe(true);
});

test("28. a new instance that EC2 does not show yet is not absent (cases.md 27)", async () => {
  const world = await new FleetWorld().seeded();
  world.cloud.setDescribeLag((resource) => (resource.startsWith("instance/") ? 120_000 : 0));
  world.cloud.setDesired("asg-general", 3);
  await world.pass(300, 5);
  expect(lostCalls(world)).toEqual([]);
  expect(world.hostsIn("active")).toHaveLength(3);
});

test("28. not found means absent only for an instance that one of our groups once had, and long ago", () => {
  const settings = { absenceMs: 5_000, launchLagMs: 300_000 };
  const goneSince = noon - 60_000;
  const before = {
    "i-ours": { group: "asg", since: noon - 400_000, goneSince },
    "i-young": { group: "asg", since: noon - 200_000, goneSince },
    "i-named": { group: "", since: noon - 400_000, goneSince },
    "i-once": { group: "asg", since: noon - 400_000 },
    "i-moments": { group: "asg", since: noon - 400_000, goneSince: noon - 2_000 },
  };
  const { absent, seen } = sightings(before, observation([]), settings);
  expect([...absent]).toEqual(["i-ours"]);
  expect(Object.keys(seen)).toEqual(Object.keys(before));
  const running = observation([], { instances: new Map(Object.keys(before).map((id) => [id, "running" as const])) });
  expect(sightings(before, running, settings).absent.size).toBe(0);
});

test("29. the report has no body, and is repeated safely", async () => {
  const world = await new FleetWorld().seeded(2);
  world.helmrFault({ on: "lost", kind: "reply-lost", at: { next: 2 } });
  const [host] = world.hostsIn("active");
  world.cloud.terminateByHand(host?.resourceId ?? "");
  await world.pass(120, 5);
  expect(lostCalls(world)).toHaveLength(3);
  expect(lostCalls(world).every(({ body }) => body === undefined)).toBe(true);
  expect(absences(world)).toHaveLength(1);
  await world.pass(120, 5);
  expect(lostCalls(world)).toHaveLength(3);
});

test("29. a report that meets contention is repeated until it is taken (helmr-notes 7.17)", async () => {
  const world = await new FleetWorld().seeded(2);
  world.helmrFault({ on: "lost", kind: "error", status: 409, code: "conflict", at: { next: 3 } });
  const [host] = world.hostsIn("active");
  world.cloud.terminateByHand(host?.resourceId ?? "");
  await world.pass(120, 5);
  expect(host?.status).toBe("lost");
  expect(lostCalls(world)).toHaveLength(4);
});

test("a host that Helmr lost to silence keeps its machine: held and told, never ended; reported once it is gone", async () => {
  const world = await new FleetWorld().seeded(2);
  const [host] = world.hostsIn("active");
  const id = host?.resourceId ?? "";
  world.model.demand.lease(host?.id ?? "", { kind: "work", cpu_millis: 1, memory_bytes: 1, disk_bytes: 1 });
  world.workers.crash(id);
  await world.pass(900, 15);
  expect(host?.status).toBe("lost");
  expect(world.mutations()).toEqual([]);
  expect(world.lines.some(({ fields }) => fields["code"] === "lost_alive")).toBe(true);
  expect(absences(world)).toEqual([]);
  world.cloud.terminateByHand(id);
  await world.pass(90, 5);
  expect(absences(world)).toHaveLength(1);
  expect(host?.leases.size).toBe(0);
});

test("an instance that others ended while it drained lowers nothing of ours: gone by others", async () => {
  const world = await new FleetWorld().seeded(2);
  await world.until(() => world.hostsIn("draining").length === 1, { every: 1 });
  const [host] = world.hostsIn("draining");
  world.model.demand.lease(host?.id ?? "", { kind: "work", cpu_millis: 1, memory_bytes: 1, disk_bytes: 1 });
  const [key = ""] = world.model.unsettledOperations(world.group.id);
  world.cloud.terminateByHand(host?.resourceId ?? "");
  await world.until(() => world.model.unsettledOperations(world.group.id).length === 0, { within: 120 });
  await world.pass(10, 5);
  const operation = await world.parts().operations.find("helmr#default", key);
  expect(operation?.value.phase).toBe("gone_by_others");
  expect(world.mutations()).toEqual([]);
});
