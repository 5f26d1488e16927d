import { expect, test } from "vitest";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import {
  type Counted,
  embeddedMetrics,
  type MetricName,
  metricCatalogue,
  metricNamespace,
} from "../../lib/edge/metrics.ts";

const at = Date.UTC(2026, 8, 5, 12);

/** CloudWatch's embedded metric format: every dimension and metric it names is a member of the root node. */
interface EmbeddedLine {
  readonly [member: string]: unknown;
  readonly _aws: {
    readonly Timestamp: number;
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
    }[];
  };
}

function emitted(...counted: Counted): EmbeddedLine {
  const lines: string[] = [];
  embeddedMetrics((line) => lines.push(line), new ManualClock(at), "prod").count(...counted);
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? "");
}

/** A metric's first value of each dimension of its own. */
function own(name: MetricName): Record<string, string> {
  const metric: { by?: Readonly<Record<string, readonly string[]>> } & object = metricCatalogue[name];
  return Object.fromEntries(Object.entries(metric.by ?? {}).map(([dimension, values]) => [dimension, values[0] ?? ""]));
}

test.each(Object.keys(metricCatalogue) as MetricName[])(
  "%s is emitted by that name, with its dimensions as members",
  (name) => {
    const line = emitted(...([name, 3, own(name)] as Counted));
    const dimensions = ["Stack", ...Object.keys(own(name))];
    expect(line._aws).toEqual({
      Timestamp: at,
      CloudWatchMetrics: [
        {
          Namespace: metricNamespace,
          Dimensions: [dimensions],
          Metrics: [{ Name: name, Unit: metricCatalogue[name].unit }],
        },
      ],
    });
    for (const dimension of dimensions) expect(line[dimension]).toEqual(expect.any(String));
    expect(line["Stack"]).toBe("prod");
    expect(line[name]).toBe(3);
  },
);

test("there are at most ten metrics, each with the stack and at most one dimension more", () => {
  const names = Object.keys(metricCatalogue) as MetricName[];
  expect(names.length).toBeLessThanOrEqual(10);
  for (const name of names) expect(Object.keys(own(name)).length, name).toBeLessThanOrEqual(1);
});

test("properties stand beside the value and can replace neither it nor the stack", () => {
  const line = emitted("ConfigError", 1, { Code: "bad_tags", Stack: "other", ConfigError: 9 });
  expect(line).toMatchObject({ Code: "bad_tags", Stack: "prod", ConfigError: 1 });
});
