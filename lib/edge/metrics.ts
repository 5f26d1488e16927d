import type { Clock } from "./clock.ts";

/** Every metric Drover emits, with its unit. Alarms and dashboards may name these and no others (cases.md 61). */
export const metricCatalogue = {
  /** A target was held back by the group's MaxSize (cases.md 34, 59). */
  CapacityCapped: "Count",
  /** Hosts asked for: by which desired capacity was raised, or launched as single instances. */
  HostsRequested: "Count",
  /** A demand grew too old before it was met. Must stay 0 (cases.md 19). */
  DemandExpired: "Count",
  /** Hosts that were proven empty and left the group. */
  HostsRemoved: "Count",
  /** Drains that were given up and their hosts given back. */
  DrainsCancelled: "Count",
  /** Drains that did not come to an end in their time (cases.md 48, 53). Must stay 0. */
  DrainsStalled: "Count",
  /** Instances that never joined and were given up. */
  LaunchesAbandoned: "Count",
  /** Hosts that did not become ready in their time and hold a place. Must stay 0. */
  HostsStuck: "Count",
  /** A look at a group that is not raised because what it launches never joins. */
  RaisesStopped: "Count",
  /** The controller could not be seen whole, so nothing was proven. */
  PeerUnseen: "Count",
  /** Something only a person can mend: a bad tag, a missing secret, a denied call (cases.md 21). */
  ConfigError: "Count",
  /** AWS or the ledger refused or did not answer. */
  CallFailed: "Count",
  /** A scheduled run that did all it had to do. */
  RunCompleted: "Count",
} as const;

export type MetricName = keyof typeof metricCatalogue;

export interface Metrics {
  /** `properties` are searchable beside the value and cost nothing; they are not dimensions. */
  count(name: MetricName, value: number, properties?: Readonly<Record<string, string | number>>): void;
}

export const metricNamespace = "Drover";

/** Metrics in CloudWatch's embedded format, one line each, with the stack as their only dimension. */
export function embeddedMetrics(write: (line: string) => void, clock: Clock, stack: string): Metrics {
  return {
    count(name, value, properties = {}) {
      write(
        JSON.stringify({
          _aws: {
            Timestamp: clock.now(),
            CloudWatchMetrics: [
              {
                Namespace: metricNamespace,
                Dimensions: [["Stack"]],
                Metrics: [{ Name: name, Unit: metricCatalogue[name] }],
              },
            ],
          },
          ...properties,
          Stack: stack,
          [name]: value,
        }),
      );
    },
  };
}
