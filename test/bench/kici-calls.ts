import { type KiciReply, startKici } from "../kici/kici-world.ts";

/** AWS calls that one event caused, secret reads aside. */
export interface KiciCalls {
  readonly what: string;
  readonly describes: number;
  /** RunInstances and TerminateInstances. */
  readonly mutations: number;
  readonly ledger: number;
}

/** Counts the AWS calls of launches, repeats and teardowns, each in a warm environment unless it says otherwise. */
export async function kiciCalls(): Promise<KiciCalls[]> {
  const world = await startKici();
  try {
    const rows: KiciCalls[] = [];
    const count = async (what: string, send: () => Promise<KiciReply>, status: string) => {
      world.faults.reset();
      const reply = await send();
      if (reply.answer.status !== status) throw new Error(`${what}: answered ${JSON.stringify(reply.answer)}`);
      const ec2 = world.faults.calls.filter(({ service }) => service === "ec2");
      const describes = ec2.filter(({ operation }) => operation.startsWith("Describe")).length;
      const ledger = world.faults.count(({ service }) => service === "dynamodb");
      rows.push({ what, describes, mutations: ec2.length - describes, ledger });
    };
    const first = world.scaleUp({ agentId: "first" });
    await count("first launch of a scaler ever, cold", () => world.up(first), "launched");
    await count("launch", () => world.up(), "launched");
    await count("repeat", () => world.up(first), "exists");
    await count("teardown", () => world.down(), "terminating");
    world.advance(60_000);
    await count("repeated teardown", () => world.down(), "absent");
    return rows;
  } finally {
    await world.close();
  }
}
