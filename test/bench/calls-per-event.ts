import { startWorld, type TestWorld } from "../world.ts";

/** Calls by service that one event caused, and how many of them would change something outside the ledger. */
export interface CallsPerEvent {
  readonly what: string;
  readonly describes: number;
  readonly raises: number;
  readonly ledger: number;
}

/** Counts the AWS calls of a new, a duplicate and a superseded event, each in a cold environment, secret reads aside. */
export async function callsPerEvent(): Promise<CallsPerEvent[]> {
  const pool = "pool_bench";
  const world = await startWorld({ fleets: [{ name: "bench", pools: [pool], slotsPerHost: 4, maxSize: 1000 }] });
  try {
    const rows: CallsPerEvent[] = [];
    const count = async (what: string, send: () => ReturnType<TestWorld["send"]>, outcome: string) => {
      world.functions.restart();
      world.faults.reset();
      const reply = await send();
      if (reply.outcome !== outcome)
        throw new Error(`${what}: answered ${reply.status} ${reply.outcome ?? reply.code}`);
      const of = (service: string) => world.faults.count((call) => call.service === service);
      const raises = world.faults.count("auto-scaling:SetDesiredCapacity");
      rows.push({ what, describes: of("auto-scaling") - raises, raises, ledger: of("dynamodb") });
    };
    await count("first demand of a pool ever", () => world.send({ pool, capacity: 0, slots: 3 }), "applied");
    const older = world.event({ pool, capacity: 4, slots: 3 });
    const newer = world.event({ pool, capacity: 8, slots: 3 });
    await count("new demand", () => world.send(newer), "applied");
    await count("duplicate", () => world.send(newer), "duplicate");
    await count("superseded", () => world.send(older), "superseded");
    return rows;
  } finally {
    await world.close();
  }
}
