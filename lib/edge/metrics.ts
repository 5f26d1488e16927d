import type { Clock } from "./clock.ts";

/**
 * Every metric Drover emits: at most ten, because each combination of name and dimensions has its price. Alarms, dashboard and
 * docs may name these and no others (cases.md 61), and every kind of event counts in exactly one of them (cases.md 65).
 * All have the stack as a dimension, and at most the one under `by`; the fleet is a property beside the value.
 */
export const metricCatalogue = {
  /** From the demand to the moment when all that it asked for was seen in service: Zoomies and Helmr. */
  TimeToInService: { unit: "Seconds" },
  /** A target was held back by MaxSize, headroom or a scaler's cap (cases.md 34, 59). */
  CapacityCapped: { unit: "Count" },
  /** Hosts and instances asked for, and those given up because they never joined. */
  Launches: { unit: "Count", by: { Outcome: ["launched", "abandoned"] } },
  /** Drains that came to an end: the host left, or was given back. */
  Drains: { unit: "Count", by: { Outcome: ["removed", "cancelled"] } },
  /** A drain, a host or a raise that does not come to its end (cases.md 48, 53). Must stay 0. */
  Stalled: { unit: "Count" },
  /** A demand grew too old before it was met (cases.md 19). Must stay 0. */
  DemandLost: { unit: "Count" },
  /** A scheduled run that did all it had to do. */
  RunCompleted: { unit: "Count", by: { Run: ["zoomies-reconciler", "kici-reaper", "helmr-reconciler"] } },
  /** What the reaper had to put right: instances that nobody ended, or that the ledger had lost, and places that nobody held. */
  ReaperFinds: { unit: "Count" },
  /** AWS, the ledger or a peer refused for now, did not answer, or could not be seen whole. */
  CallFailed: { unit: "Count", by: { Outcome: ["throttled", "failed", "unseen"] } },
  /** Something only a person can mend: a bad tag, a missing secret, a denied call (cases.md 21). */
  ConfigError: { unit: "Count" },
} as const;

type Catalogue = typeof metricCatalogue;
export type MetricName = keyof Catalogue;

type Properties = Readonly<Record<string, string | number>>;
type DimensionsOf<By> = { readonly [D in keyof By]: By[D] extends readonly (infer Value)[] ? Value : never };

/** A metric, its value, and what stands beside it: its dimension where it has one, and properties, which are searchable and cost nothing. */
export type Counted = {
  [N in MetricName]: Catalogue[N] extends { readonly by: infer By }
    ? [name: N, value: number, properties: DimensionsOf<By> & Properties]
    : [name: N, value: number, properties?: Properties];
}[MetricName];

export interface Metrics {
  count(...counted: Counted): void;
}

export const metricNamespace = "Drover";

/** The dimensions of a metric, in the order in which they are emitted. */
export function dimensionsOf(name: MetricName): readonly string[] {
  const metric = metricCatalogue[name];
  return ["Stack", ...("by" in metric ? Object.keys(metric.by) : [])];
}

/** Metrics in CloudWatch's embedded format, one line each. */
export function embeddedMetrics(write: (line: string) => void, clock: Clock, stack: string): Metrics {
  return {
    count(...[name, value, properties = {}]) {
      write(
        JSON.stringify({
          _aws: {
            Timestamp: clock.now(),
            CloudWatchMetrics: [
              {
                Namespace: metricNamespace,
                Dimensions: [dimensionsOf(name)],
                Metrics: [{ Name: name, Unit: metricCatalogue[name].unit }],
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
