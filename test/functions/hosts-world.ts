import { signedHeaders } from "../../infra/local/http/sigv4.ts";
import { type ApiFaults, apiFaults } from "../../infra/local/zoomies/api/faults.ts";
import { startApiServer } from "../../infra/local/zoomies/api/server.ts";
import { type Controller, zoomiesController } from "../../infra/local/zoomies/controller.ts";
import { post } from "../../infra/local/zoomies/post.ts";
import { httpSend } from "../../lib/edge/http-call.ts";
import { startWorld, type TestWorld, type TestWorldOptions } from "../world.ts";

/** The real functions, a Zoomies with its API beside them, and a group of hosts that all have joined. */
export interface HostsWorld {
  readonly world: TestWorld;
  readonly controller: Controller;
  readonly api: ApiFaults;
  /** Routes of Zoomies that were asked for and change something. */
  readonly changes: string[];
  /** Ids of the group's instances. */
  members(): string[];
  /** So many minute runs, a minute apart; every host whose instance runs says that it is there. */
  minutes(count: number): Promise<void>;
}

export const pool = "pool_123";
const scopes = ["hosts:read", "hosts:cordon", "hosts:delete", "runners:read", "runners:drain", "pools:read"];
export const apiTokens = {
  "hosts-token": { role: "admin", scopes },
  "joins-token": { role: "admin", scopes: ["joins:read", "joins:write"] },
} as const;

export interface HostsWorldOptions extends TestWorldOptions {
  readonly hosts: number;
  readonly minSize?: number;
  readonly tags?: Readonly<Record<string, string>>;
  /** How the world starts, where it is more than Zoomies' own. */
  readonly start?: (options: TestWorldOptions) => Promise<TestWorld>;
}

export async function startHosts(given: HostsWorldOptions, closing: (() => Promise<unknown>)[]): Promise<HostsWorld> {
  const { hosts, minSize = hosts, tags, start = startWorld, ...options } = given;
  const changes: string[] = [];
  const faults = apiFaults();
  const server = await startApiServer(
    {
      route(request) {
        const route = controller.api.route(request);
        if (!route.startsWith("GET ")) changes.push(route);
        return route;
      },
      answer: (request) => controller.api.answer(request),
    },
    faults,
  );
  closing.push(server.close);
  const fleet = {
    name: "linux",
    pools: [pool],
    slotsPerHost: 4,
    minSize,
    desired: hosts,
    tags: { "drover:scale-in": "verified", "drover:idle-minutes": "120", ...tags },
  };
  const zoomiesApi = { url: server.url, hostsToken: "hosts-token", joinsToken: "joins-token" };
  const world = await start({ ...options, fleets: [fleet, ...(options.fleets ?? [])], zoomiesApi });
  closing.push(world.close);
  const controller = zoomiesController(
    { destinationUrl: `${world.api}/zoomies/capacity`, signingSecret: world.secrets.zoomies.value, apiTokens },
    { clock: world.clock, random: Math.random, post, wait: async () => undefined },
  );
  controller.addPool({ id: pool });
  world.advance(120_000);
  const members = () => (world.cloud.group("linux")?.Instances ?? []).map(({ InstanceId = "" }) => InstanceId);
  for (const name of members()) controller.joinHost({ name, capacity: 4 });
  if (members().length !== hosts) throw new Error(`The group has ${members().length} hosts.`);

  const isRunning = (instance: string) => world.cloud.instance(instance)?.State?.Name === "running";
  return {
    world,
    controller,
    api: faults,
    changes,
    members,
    async minutes(count) {
      for (let minute = 0; minute < count; minute += 1) {
        for (let pass = 0; pass < 6; pass += 1) {
          world.advance(10_000);
          for (const { name } of [...controller.fleet.hosts.values()]) {
            if (isRunning(name)) controller.speak(name);
            else controller.endMachine(name);
          }
          controller.pass();
        }
        await world.reconcile();
      }
    },
  };
}

/** An instance asks for a token, signed with its own role: the status and the body that it gets. */
export async function askToJoin(
  world: TestWorld,
  instance: string,
): Promise<{ status: number; answer: { token?: string; code?: string } }> {
  const url = new URL("/zoomies/join", world.api);
  const place = { region: world.cloud.world.region, service: "execute-api" };
  const headers = signedHeaders("POST", url, world.role.credentials(instance), place, Date.now());
  const { status, body } = await httpSend()({
    method: "POST",
    url,
    headers,
    timeoutMs: 10_000,
    mostBytes: 64 * 1024,
  });
  return { status, answer: JSON.parse(body.toString()) as { token?: string; code?: string } };
}
