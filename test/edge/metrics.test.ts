import { expect, test } from "vitest";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import { embeddedMetrics, type MetricName, metricCatalogue, metricNamespace } from "../../lib/edge/metrics.ts";

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

function emitted(name: MetricName, value: number, properties?: Record<string, string | number>): EmbeddedLine {
  const lines: string[] = [];
  embeddedMetrics((line) => lines.push(line), new ManualClock(at), "prod").count(name, value, properties);
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? "");
}

test.each(Object.keys(metricCatalogue) as MetricName[])("%s is emitted by that name, by stack alone", (name) => {
  const line = emitted(name, 3);
  expect(line._aws).toEqual({
    Timestamp: at,
    CloudWatchMetrics: [
      { Namespace: metricNamespace, Dimensions: [["Stack"]], Metrics: [{ Name: name, Unit: metricCatalogue[name] }] },
    ],
  });
  expect(line["Stack"]).toBe("prod");
  expect(line[name]).toBe(3);
});

test("properties stand beside the value and can replace neither it nor the dimension", () => {
  const line = emitted("CallFailed", 1, { Code: "Throttling", Stack: "other", CallFailed: 9 });
  expect(line).toMatchObject({ Code: "Throttling", Stack: "prod", CallFailed: 1 });
});
