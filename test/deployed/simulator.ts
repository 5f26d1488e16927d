import { type Cloud, createCloud } from "../../infra/local/aws/cloud.ts";
import { ConnectionLost, createFaults, type Faults } from "../../infra/local/aws/faults.ts";
import { startAwsServer } from "../../infra/local/aws/server.ts";
import { account, region } from "./ministack.ts";

export interface Simulator {
  readonly url: string;
  readonly port: number;
  readonly cloud: Cloud;
  readonly faults: Faults;
  /** Does something as the next such call comes in, and then breaks its connection before it has an effect. */
  cutNext(operation: string, act: () => Promise<void>): void;
  close(): Promise<void>;
}

/** EC2 and Auto Scaling on a loopback port, in the time of this machine. */
export async function startSimulator(): Promise<Simulator> {
  const cloud = createCloud({ region, account, clock: { now: () => Date.now() } });
  const faults = createFaults();
  let cut: { operation: string; act: () => Promise<void> } | undefined;
  const watched = Object.assign(Object.create(faults) as Faults, {
    async perform(...[call, ...rest]: Parameters<Faults["perform"]>) {
      if (cut?.operation !== call.operation) return faults.perform(call, ...rest);
      const { act } = cut;
      cut = undefined;
      faults.record(call, Date.now()).outcome = "lost";
      await act();
      throw new ConnectionLost("the caller died before the effect");
    },
  });
  const { url, port, close } = await startAwsServer({ cloud, faults: watched });
  return {
    url,
    port,
    cloud,
    faults,
    cutNext(operation, act) {
      cut = { operation, act };
    },
    close,
  };
}
