import { AwsError } from "../aws-error.ts";

/** What EC2 can still launch of one instance type in one zone: a count, `none`, or a quota that refuses. */
export type Capacity = number | "none" | { code: string; httpStatus?: number; message?: string };

export interface Offerings {
  /** Sets what is left; `undefined` makes it unlimited again. `*` stands for every type or every zone; the narrower entry wins. */
  set(type: string, zone: string, capacity: Capacity | undefined): void;
  /** How many of `wanted` can be launched; throws where not even `least` can be. */
  grant(type: string, zone: string, least: number, wanted: number, spot: boolean): number;
  /** Gives capacity back after an instance ended, where it is counted. */
  giveBack(type: string, zone: string): void;
}

export function createOfferings(): Offerings {
  const left = new Map<string, Capacity>();
  const keyOf = (type: string, zone: string): string | undefined =>
    [`${type} ${zone}`, `${type} *`, `* ${zone}`, "* *"].find((key) => left.has(key));
  return {
    set(type, zone, capacity) {
      if (capacity === undefined) left.delete(`${type} ${zone}`);
      else left.set(`${type} ${zone}`, capacity);
    },
    grant(type, zone, least, wanted, spot) {
      const key = keyOf(type, zone);
      const capacity = key === undefined ? undefined : left.get(key);
      if (key === undefined || capacity === undefined) return wanted;
      if (typeof capacity === "object") {
        throw new AwsError(capacity.code, capacity.message ?? quotaMessage(capacity.code), capacity.httpStatus ?? 400);
      }
      const granted = Math.min(wanted, capacity === "none" ? 0 : capacity);
      if (granted < Math.max(1, least)) throw insufficientCapacity(type, zone, spot);
      left.set(key, (capacity as number) - granted);
      return granted;
    },
    giveBack(type, zone) {
      const key = keyOf(type, zone);
      const capacity = key === undefined ? undefined : left.get(key);
      if (key !== undefined && typeof capacity === "number") left.set(key, capacity + 1);
    },
  };
}

/** EC2 reports missing capacity as a server error, HTTP 500. */
export function insufficientCapacity(type: string, zone: string, spot: boolean): AwsError {
  const message = spot
    ? "There is no Spot capacity available that matches your request."
    : `We currently do not have sufficient ${type} capacity in the Availability Zone you requested (${zone}).`;
  return new AwsError("InsufficientInstanceCapacity", message, 500);
}

function quotaMessage(code: string): string {
  return `The request would exceed a limit of this account (${code}).`;
}
