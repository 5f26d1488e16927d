import { beforeEach, describe, expect, test } from "vitest";
import { type JoinRecord, joinKey } from "../../lib/zoomies/join-record.ts";
import { proveUnjoined } from "../../lib/zoomies/prove-unjoined.ts";
import { identity, LifeWorld, verified } from "./life-world.ts";

let world: LifeWorld;
let instance: string;

/** One instance that waits in the launch hook, or, without one, is just in service. */
async function start(more: Parameters<typeof verified>[0] = {}, seconds = 30): Promise<void> {
  world = new LifeWorld(
    verified({ tags: { "drover:host-selector/zone": "eu-1", "drover:host-selector/os": "linux" }, ...more }),
  );
  world.cloud.setDesired("linux", 1);
  for (let second = 0; second < seconds; second += 1) {
    world.clock.advance(1_000);
    world.cloud.settle();
  }
  instance = world.instances()[0]?.id ?? "";
}

beforeEach(() => start());

const code = async (asked: ReturnType<LifeWorld["ask"]>) => {
  const { status, answer } = await asked;
  return [status, (answer as unknown as { code?: string }).code];
};

describe("an instance in its launch hook", () => {
  test("gets what its agent needs: address, token, its own id as name, slots, labels without os, backend", async () => {
    const { status, answer } = await world.ask(instance);
    expect(status).toBe(200);
    expect(answer).toEqual({
      url: "https://zoomies.example.com",
      token: expect.stringMatching(/^zoojoin_/),
      name: instance,
      capacity: 4,
      labels: { zone: "eu-1" },
      backend: "docker",
    });
    expect([...world.zoomies.tokens.values()].map(({ request }) => request)).toEqual([
      { ttl: "5m", capacity: 4, labels: { zone: "eu-1" } },
    ]);
  });

  test("that asks again gets a new token, and the first one is dead", async () => {
    const first = await world.ask(instance);
    const second = await world.ask(instance);
    expect(second.status).toBe(200);
    expect(world.zoomies.alive().map(({ token }) => token)).toEqual([second.answer.token]);
    expect(world.zoomies.join(first.answer.token, instance)).toBeUndefined();
    expect(world.zoomies.join(second.answer.token, instance)).toBeDefined();
  });

  test("that has joined gets no other token", async () => {
    const { answer } = await world.ask(instance);
    world.zoomies.join(answer.token, answer.name);
    expect(await code(world.ask(instance))).toEqual([409, "token_used"]);
    expect(world.zoomies.alive()).toEqual([]);
  });

  test("that asks twice at once gets one token that is alive, wherever the two meet", async () => {
    for (let meet = 1; meet <= 8; meet += 1) {
      await start();
      let calls = 0;
      let other: Awaited<ReturnType<LifeWorld["ask"]>> | undefined;
      world.travel = async (_, effect) => {
        calls += 1;
        if (calls === meet) other = await world.ask(instance);
        return effect();
      };
      const replies = [await world.ask(instance), ...(other === undefined ? [] : [other])];
      const alive = world.zoomies.alive().map(({ token }) => token);
      const delivered = replies.flatMap(({ status, answer }) => (status === 200 ? [answer.token] : []));
      expect(alive.length, `meeting at call ${meet}`).toBeLessThanOrEqual(1);
      expect(delivered.length, `meeting at call ${meet}`).toBeGreaterThanOrEqual(1);
      expect([200, 425]).toEqual(expect.arrayContaining(replies.map(({ status }) => status)));
    }
  });

  test("is told to come back while another ask of it is being answered", async () => {
    let other: Promise<[number, string | undefined]> | undefined;
    world.zoomies.meanwhile = async (call) => {
      if (call !== "mint" || other !== undefined) return;
      other = code(world.ask(instance)) as Promise<[number, string | undefined]>;
      await other;
    };
    expect((await world.ask(instance)).status).toBe(200);
    expect(await other).toEqual([425, "being_minted"]);
    expect(world.zoomies.calls.filter((call) => call === "mint")).toHaveLength(1);
  });

  test("that took longer than its turn gets no token when another ask was answered meanwhile", async () => {
    let other: Awaited<ReturnType<LifeWorld["ask"]>> | undefined;
    world.zoomies.meanwhile = async (call) => {
      if (call !== "mint" || other !== undefined) return;
      other = { status: 0 } as never;
      world.clock.advance(16_000);
      other = await world.ask(instance);
    };
    expect(await code(world.ask(instance))).toEqual([425, "being_minted"]);
    expect(other?.status).toBe(200);
    expect(world.zoomies.alive().map(({ token }) => token)).toEqual([other?.answer.token]);
  });

  test("that is given up while its token is minted gets none, and none is alive", async () => {
    world.zoomies.meanwhile = async (call) => {
      if (call !== "mint") return;
      const view = { at: world.clock.now(), hosts: [], runners: [], pools: [] };
      const parts = { ...world.parts, life: world.life };
      expect(await proveUnjoined(parts, "linux", instance, view)).toEqual({ proven: true });
    };
    expect((await world.ask(instance)).status).toBe(425);
    expect(world.zoomies.alive()).toEqual([]);
    expect(await code(world.ask(instance))).toEqual([410, "too_late"]);
  });

  test("gets 503 while Zoomies is down, and a token once it is back", async () => {
    world.zoomies.fault = () => "before";
    expect(await code(world.ask(instance))).toEqual([503, "zoomies_unreachable"]);
    world.zoomies.fault = () => undefined;
    expect((await world.ask(instance)).status).toBe(200);
  });

  test("gets 503 when the mint's reply is lost; that token was delivered to nobody, and dies by its life", async () => {
    world.zoomies.fault = (call) => (call === "mint" ? "after" : undefined);
    expect((await world.ask(instance)).status).toBe(503);
    expect(world.zoomies.alive()).toHaveLength(1);
    world.zoomies.fault = () => undefined;
    expect((await world.ask(instance)).status).toBe(200);
    world.clock.advance(5 * 60_000);
    expect(world.zoomies.alive()).toEqual([]);
  });

  test.each(["before", "after"] as const)(
    "gets no token when the ledger fails %s taking its id, and none of two is ever alive in an answer",
    async (moment) => {
      let puts = 0;
      world.travel = async (call, effect) => {
        if (call === "ledger put") puts += 1;
        if (call !== "ledger put" || puts !== 2) return effect();
        if (moment === "after") await effect();
        throw new Error("no answer");
      };
      expect((await world.ask(instance)).status).toBe(503);
      expect(world.zoomies.alive()).toEqual([]);
    },
  );

  test("leaves token ids in the ledger and no token, there or in a log", async () => {
    const { answer } = await world.ask(instance);
    const stored = await world.parts.records.read<JoinRecord>(joinKey(instance));
    expect(stored?.value.tokens).toEqual([...world.zoomies.tokens.keys()]);
    expect(JSON.stringify(stored)).not.toContain(answer.token);
    expect(JSON.stringify(world.lines)).not.toContain(answer.token);
  });
});

describe("who may ask", () => {
  const account = "123456789012";
  test.each([
    ["another role", { userArn: `arn:aws:sts::${account}:assumed-role/admin/i-0123456789abcdef0` }, "foreign_role"],
    [
      "another account's role of the same name",
      { accountId: "210987654321", userArn: "arn:aws:sts::210987654321:assumed-role/zoomies-host/i-0123456789abcdef0" },
      "foreign_account",
    ],
    [
      "an ARN that disagrees with the account",
      { userArn: "arn:aws:sts::210987654321:assumed-role/zoomies-host/i-0123456789abcdef0" },
      "foreign_account",
    ],
    ["a user", { userArn: `arn:aws:iam::${account}:user/zoomies-host`, userId: "AIDAEXAMPLE" }, "not_a_role"],
    [
      "a person who assumed the hosts' role",
      { userArn: `arn:aws:sts::${account}:assumed-role/zoomies-host/alice`, userId: "AROAEXAMPLE:alice" },
      "not_an_instance",
    ],
    ["a session that is not the caller's id", { userId: "AROAEXAMPLE:i-0fedcba9876543210" }, "not_an_instance"],
  ])("%s may not", async (_, iam, expected) => {
    expect(await code(world.ask(instance, iam))).toEqual([403, expected]);
    expect(world.zoomies.calls).toEqual([]);
  });

  test("a role's path does not matter, as a session's name has none", async () => {
    expect(identity(instance).userArn).not.toContain("/ci/");
    expect((await world.ask(instance)).status).toBe(200);
  });

  test("an instance outside our groups may not", async () => {
    expect(await code(world.ask("i-0123456789abcdef0"))).toEqual([404, "not_in_a_group"]);
    world.cloud.updateGroup("linux", { tags: { "drover:stack": "another" } });
    expect(await code(world.ask(instance))).toEqual([404, "not_in_a_group"]);
    expect(world.zoomies.calls).toEqual([]);
  });

  test("an instance of a group that serves no pool, or whose tags are wrong, may not", async () => {
    world.cloud.updateGroup("linux", { tags: { "drover:stack": "prod", "drover:slots-per-host": "4" } });
    expect(await code(world.ask(instance))).toEqual([404, "no_pool"]);
    const ofHelmr = { "drover:helmr-group": "default", "drover:helmr-pool": "large" };
    world.cloud.updateGroup("linux", { tags: { "drover:stack": "prod", ...ofHelmr } });
    expect(await code(world.ask(instance))).toEqual([404, "no_pool"]);
    world.cloud.updateGroup("linux", { tags: { "drover:stack": "prod", "drover:zoomies-pool/pool_a": "" } });
    expect(await code(world.ask(instance))).toEqual([422, "bad_tags"]);
  });
});

describe("when it may ask", () => {
  test("not yet while it is plainly pending", async () => {
    await start({}, 8);
    expect(world.instances()).toEqual([{ id: instance, state: "Pending" }]);
    expect(await code(world.ask(instance))).toEqual([425, "still_pending"]);
  });

  test("not any more once it has left its launch hook", async () => {
    world.cloud.setMemberState(instance, "InService");
    expect(await code(world.ask(instance))).toEqual([410, "left_the_hook"]);
  });

  test("not while it is ending", async () => {
    world.cloud.setMemberState(instance, "Terminating:Wait");
    expect(await code(world.ask(instance))).toEqual([410, "leaving"]);
  });

  test("without a hook, until the join deadline, which runs from when Drover first saw or heard of it", async () => {
    await start({ hooks: false });
    expect(world.instances()).toEqual([{ id: instance, state: "InService" }]);
    expect((await world.ask(instance)).status).toBe(200);
    world.clock.advance(9 * 60_000);
    expect((await world.ask(instance)).status).toBe(200);
    world.clock.advance(60_000);
    expect(await code(world.ask(instance))).toEqual([410, "too_late"]);

    await start({ hooks: false });
    await world.run();
    world.clock.advance(10 * 60_000);
    expect(await code(world.ask(instance))).toEqual([410, "too_late"]);
  });
});

describe("that an instance never joined", () => {
  const prove = () => {
    const view = { at: world.clock.now(), hosts: [], runners: [], pools: [] };
    return proveUnjoined({ ...world.parts, life: world.life }, "linux", instance, view);
  };

  test("is proven by a token that was not used, which is dead from then on", async () => {
    const { answer } = await world.ask(instance);
    expect(await prove()).toEqual({ proven: true });
    expect(world.zoomies.join(answer.token, instance)).toBeUndefined();
    expect(await code(world.ask(instance))).toEqual([410, "too_late"]);
  });

  test("is not proven when it has a host by now, whatever became of its token", async () => {
    const hostId = world.zoomies.addHost(instance);
    expect(await prove()).toMatchObject({ proven: false, hostId });
  });

  test("is not proven when a host appeared under a name that is no instance's", async () => {
    world.zoomies.addHost("ip-10-0-0-1");
    expect(await prove()).toMatchObject({ proven: false });
  });

  test("is not doubted for hosts of other instances", async () => {
    world.zoomies.addHost("i-0fedcba9876543210");
    expect(await prove()).toEqual({ proven: true });
  });

  test("is not proven when its token was used, and the host is told", async () => {
    const { answer } = await world.ask(instance);
    const hostId = world.zoomies.join(answer.token, "ip-10-0-0-1");
    expect(await prove()).toEqual({ proven: false, reason: "its token was used", hostId });
  });
});
