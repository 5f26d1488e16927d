/** What EC2 says of an instance: it will be taken, may be taken, or is ending. */
export type NoticeKind = "spot-interruption" | "rebalance-recommendation" | "stopping" | "shutting-down" | "terminated";

export interface Notice {
  readonly instance: string;
  readonly kind: NoticeKind;
  /** EC2's time of it, milliseconds since the epoch. */
  readonly at: number;
}

/** Whether the instance certainly stops working: a recommendation alone may come to nothing. */
export const isEnd = ({ kind }: Pick<Notice, "kind">): boolean => kind !== "rebalance-recommendation";

/** A spot instance is taken two minutes after its warning; what runs on after this long was spared. */
export const sparedMs = 15 * 60_000;

/** Whether a notice of what may come is so old that an instance which still runs was spared. */
export const isOutlived = ({ kind, at }: Notice, now: number): boolean =>
  (kind === "spot-interruption" || kind === "rebalance-recommendation") && now - at >= sparedMs;

const detailTypes: Readonly<Record<string, "spot-interruption" | "rebalance-recommendation" | "state">> = {
  "EC2 Spot Instance Interruption Warning": "spot-interruption",
  "EC2 Instance Rebalance Recommendation": "rebalance-recommendation",
  "EC2 Instance State-change Notification": "state",
};
const endings = ["stopping", "shutting-down", "terminated"] as const;

/** An EventBridge event of EC2's as a queue delivers it; undefined for anything that the rules do not send. */
export function readNotice(body: string): Notice | undefined {
  let event: unknown;
  try {
    event = JSON.parse(body);
  } catch {
    return undefined;
  }
  const { source, time, detail, "detail-type": type } = fields(event);
  const { "instance-id": instance, state } = fields(detail);
  const at = typeof time === "string" ? Date.parse(time) : Number.NaN;
  const known = typeof type === "string" && Object.hasOwn(detailTypes, type) ? detailTypes[type] : undefined;
  const kind = known === "state" ? endings.find((ending) => ending === state) : known;
  if (source !== "aws.ec2" || typeof instance !== "string" || !/^i-[0-9a-f]{8,17}$/.test(instance)) return undefined;
  if (kind === undefined || Number.isNaN(at)) return undefined;
  return { instance, kind, at };
}

const fields = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
