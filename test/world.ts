import { ManualClock } from "../infra/local/aws/sim-clock.ts";
import type { Invocation } from "../infra/local/lambda/invocation.ts";
import { simulateDate } from "../infra/local/simulated-date.ts";
import { type LocalWorld, type LocalWorldOptions, startLocalWorld } from "../infra/local/world.ts";
import { type CapacityEvent, encodeEvent, goTimestamp, newEventId } from "../infra/local/zoomies/event.ts";
import { post } from "../infra/local/zoomies/post.ts";
import { signature } from "../infra/local/zoomies/signed-request.ts";
import { madeCall } from "./iam/made-calls.ts";

export type TestWorldOptions = Partial<Omit<LocalWorldOptions, "clock">> & { clock?: ManualClock };

/** What came back from the webhook. */
type Reply = {
  status: number;
  /** The header x-drover-outcome. */
  outcome: string | undefined;
  /** Of a refusal. */
  code: string | undefined;
  message: string | undefined;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
};

/** An event in short: `slots` is required_runner_slots, `capacity` is current_capacity; any field can be given too. */
type EventInShort = { pool: string; capacity: number; slots: number } & Partial<CapacityEvent>;

/** A running world whose time stands still until a test moves it. */
export type TestWorld = LocalWorld & {
  clock: ManualClock;
  /** Every invocation that ended, oldest first, with what the function printed. */
  invocations: readonly Invocation[];
  /** What all functions printed, line by line. */
  lines: readonly string[];
  /** The event that `send` would post, for sending it again or with another detail. */
  event(short: EventInShort): CapacityEvent;
  /** Signs and posts an event as the controller does, once. */
  send(event: EventInShort | CapacityEvent): Promise<Reply>;
  /** Posts any bytes to the webhook, with the signature of these bytes unless `headers` say otherwise. */
  post(body: Buffer | string, headers?: Record<string, string>): Promise<Reply>;
  /** The signature header's value for any bytes, by the world's secret or another one. */
  sign(body: Buffer | string, secret?: string): string;
  /** Runs the minute run now and gives how it ended. */
  reconcile(): Promise<Invocation>;
  /** A group as it truly is: its desired capacity, its bounds, and its instances by life-cycle state. */
  group(name: string): { desired: number; min: number; max: number; states: string[] };
  /** Moves the world's time, `Date` included, and lets what is due in the cloud happen. */
  advance(ms: number): void;
  setTime(epochMs: number): void;
};

/** The contract's sample is from this moment. */
export const startOfTime = Date.UTC(2026, 8, 5, 12);
const testSecret = "receiver-secret";

/** One world for a test: real functions behind a real HTTP API, simulated AWS, `Date` under the test's control. */
export async function startWorld(options: TestWorldOptions = {}): Promise<TestWorld> {
  const clock = options.clock ?? new ManualClock(startOfTime);
  const invocations: Invocation[] = [];
  const lines: string[] = [];
  const restoreDate = simulateDate(clock);
  let world: LocalWorld;
  try {
    world = await startLocalWorld({
      fleets: [],
      zoomiesSecret: testSecret,
      ...options,
      clock,
      onCall: madeCall,
      onLine(functionId, line) {
        lines.push(line);
        options.onLine?.(functionId, line);
      },
      onInvocation(invocation) {
        invocations.push(invocation);
        options.onInvocation?.(invocation);
      },
    });
  } catch (error) {
    restoreDate();
    throw error;
  }

  const url = `${world.api}/zoomies/capacity`;
  const sign = (body: Buffer | string, secret = world.secrets.zoomies.value) => signature(Buffer.from(body), secret);
  const postBytes: TestWorld["post"] = async (body, headers = {}) => {
    const bytes = Buffer.from(body);
    const all = {
      "Content-Type": "application/json",
      "Content-Length": String(bytes.length),
      "X-Zoomies-Signature-256": sign(bytes),
      ...headers,
    };
    return replyOf(await post(url, { body: bytes, headers: all }, 15_000));
  };
  const setTime = (epochMs: number) => {
    clock.set(epochMs);
    world.cloud.settle();
  };
  let events = 0;
  // The world's time stands still between sends: a nanosecond more each keeps the order in which events were made.
  const event = (short: EventInShort) => fullEvent(short, goTimestamp(clock.now(), events++ % 1e6));

  return {
    ...world,
    clock,
    invocations,
    lines,
    event,
    send(given) {
      const whole = "pool" in given ? event(given) : given;
      const copies = { "X-Zoomies-Event-Id": whole.event_id, "X-Zoomies-Timestamp": whole.timestamp };
      return postBytes(encodeEvent(whole), copies);
    },
    post: postBytes,
    sign,
    async reconcile() {
      const run = await world.schedules.fire("ZoomiesReconciler");
      if (run === undefined) throw new Error("A minute run is still going on.");
      return run;
    },
    group(name) {
      const group = world.cloud.group(name);
      if (group === undefined) throw new Error(`There is no group ${name}.`);
      const states = (group.Instances ?? []).map((instance) => String(instance.LifecycleState));
      return { desired: group.DesiredCapacity ?? 0, min: group.MinSize ?? 0, max: group.MaxSize ?? 0, states };
    },
    setTime,
    advance: (ms) => setTime(clock.now() + ms),
    async close() {
      await world.close();
      restoreDate();
    },
  };
}

function fullEvent({ pool, capacity, slots, ...given }: EventInShort, timestamp: string): CapacityEvent {
  return {
    schema_version: 1,
    event_id: newEventId(Math.random),
    type: slots > 0 ? "capacity_demand" : "scale_down_opportunity",
    timestamp,
    pool_id: pool,
    host_selector: {},
    backend: "docker",
    required_runner_slots: slots,
    current_capacity: capacity,
    queued_job_count: Math.max(0, slots),
    oldest_queue_age_seconds: slots > 0 ? 74 : 0,
    ...given,
  };
}

function replyOf({ status, headers, body }: Awaited<ReturnType<typeof post>>): Reply {
  const outcome = headers["x-drover-outcome"];
  const refusal = status >= 400 ? refusalOf(body) : {};
  const { code, message } = refusal;
  return { status, outcome: typeof outcome === "string" ? outcome : undefined, code, message, headers, body };
}

function refusalOf(body: string): { code?: string; message?: string } {
  try {
    return JSON.parse(body) as { code?: string; message?: string };
  } catch {
    return {};
  }
}
