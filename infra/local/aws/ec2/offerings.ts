import { AwsError } from "../aws-error.ts";

/** What EC2 can still launch: a count, `none`, or a quota or price that refuses with its own code. */
export type Capacity = number | "none" | { code: string; httpStatus?: number; message?: string };

/** How instances are bought; capacity and quotas of the two are apart. */
export type Market = "spot" | "on-demand";

/** An instance type in a zone; `*` stands for every type or every zone. */
interface Offering {
  readonly type: string;
  readonly zone: string;
  readonly market: Market;
}

export interface Offerings {
  /** Sets what is left; `undefined` makes it unlimited again. Without a market it holds for both. The narrowest entry wins. */
  set(type: string, zone: string, capacity: Capacity | undefined, market?: Market): void;
  /** How many of `wanted` can be launched; throws where not even `least` can be. */
  grant(offering: Offering, least: number, wanted: number): number;
}

export function createOfferings(): Offerings {
  const left = new Map<string, Capacity>();
  return {
    set(type, zone, capacity, market) {
      const key = `${type} ${zone} ${market ?? "*"}`;
      if (capacity === undefined) left.delete(key);
      else left.set(key, capacity);
    },
    grant(offering, least, wanted) {
      const key = keysFor(offering).find((candidate) => left.has(candidate));
      const capacity = key === undefined ? undefined : left.get(key);
      if (key === undefined || capacity === undefined) return wanted;
      if (typeof capacity === "object") throw refusal(capacity);
      const granted = Math.min(wanted, capacity === "none" ? 0 : capacity);
      if (granted < Math.max(1, least)) throw insufficientCapacity(offering);
      left.set(key, (capacity as number) - granted);
      return granted;
    },
  };
}

function keysFor({ type, zone, market }: Offering): string[] {
  const places = [`${type} ${zone}`, `${type} *`, `* ${zone}`, "* *"];
  return places.flatMap((place) => [`${place} ${market}`, `${place} *`]);
}

/** EC2 reports missing capacity as a server error, HTTP 500. */
function insufficientCapacity({ type, zone, market }: Offering): AwsError {
  const message =
    market === "spot"
      ? "There is no Spot capacity available that matches your request."
      : `We currently do not have sufficient ${type} capacity in the Availability Zone you requested (${zone}).`;
  return new AwsError("InsufficientInstanceCapacity", message, 500);
}

function refusal({ code, message, httpStatus = 400 }: Exclude<Capacity, number | string>): AwsError {
  return new AwsError(code, message ?? `The request would exceed a limit of this account (${code}).`, httpStatus);
}
