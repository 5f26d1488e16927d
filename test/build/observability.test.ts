import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { root } from "../../infra/build/entry-points.ts";
import { dimensionsOf, type MetricName, metricCatalogue, metricNamespace } from "../../lib/edge/metrics.ts";
import { resourcesWith } from "./policies.ts";

/** A metric as an alarm or a widget names it. */
interface Named {
  readonly where: string;
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

const resources = resourcesWith({ HelmrCadence: "ticks" });
const names = Object.keys(metricCatalogue) as MetricName[];
const valuesOf = (name: MetricName): Readonly<Record<string, readonly string[]>> => {
  const metric: { by?: Readonly<Record<string, readonly string[]>> } & object = metricCatalogue[name];
  return metric.by ?? {};
};

type AlarmMetric = { Namespace: string; MetricName: string; Dimensions?: { Name: string; Value: string }[] };

const alarms = resources.ofType("AWS::CloudWatch::Alarm");

function alarmMetrics(): Named[] {
  return alarms.flatMap(({ id, properties }) => {
    const several = (properties["Metrics"] ?? []) as { MetricStat?: { Metric: AlarmMetric } }[];
    const all = several.length > 0 ? several.flatMap(({ MetricStat }) => MetricStat?.Metric ?? []) : [properties];
    return (all as AlarmMetric[]).map(({ Namespace, MetricName, Dimensions = [] }) => ({
      where: id,
      namespace: Namespace,
      name: MetricName,
      dimensions: Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, String(Value)])),
    }));
  });
}

interface Widget {
  readonly width: number;
  readonly properties: { readonly title: string; readonly metrics: readonly (string | object)[][] };
}

function widgets(parameters: Record<string, string> = {}): Widget[] {
  const [dashboard] = resourcesWith(parameters).ofType("AWS::CloudWatch::Dashboard");
  return (JSON.parse(String(dashboard?.properties["DashboardBody"])) as { widgets: Widget[] }).widgets;
}

function widgetMetrics(): Named[] {
  return widgets().flatMap(({ properties: { title, metrics } }) =>
    metrics.map((metric) => {
      const [namespace = "", name = "", ...pairs] = metric.filter((part) => typeof part === "string");
      const dimensions: Record<string, string> = {};
      for (let at = 0; at < pairs.length; at += 2) dimensions[pairs[at] ?? ""] = pairs[at + 1] ?? "";
      return { where: title, namespace, name, dimensions };
    }),
  );
}

const used = [...alarmMetrics(), ...widgetMetrics()];
const ours = used.filter(({ namespace }) => namespace === metricNamespace);

/** AWS's own metrics that may be named, with their dimension and the resources that it names. */
const theirs: Readonly<Record<string, { readonly dimension: string; readonly of: string }>> = {
  "AWS/Lambda Errors": { dimension: "FunctionName", of: "AWS::Serverless::Function" },
  "AWS/Lambda Throttles": { dimension: "FunctionName", of: "AWS::Serverless::Function" },
  "AWS/Lambda Duration": { dimension: "FunctionName", of: "AWS::Serverless::Function" },
  "AWS/SQS ApproximateNumberOfMessagesVisible": { dimension: "QueueName", of: "AWS::SQS::Queue" },
};

/** Text of every file of the code that runs in Lambda, apart from the catalogue itself. */
const code = readdirSync(`${root}lib`, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && file !== "edge/metrics.ts")
  .map((file) => readFileSync(`${root}lib/${file}`, "utf8"))
  .join("\n");

test("every metric that an alarm or a widget names is in the catalogue, with exactly its dimensions and one of their values (cases.md 61)", () => {
  expect(ours.length).toBeGreaterThan(10);
  for (const { where, name, dimensions } of ours) {
    expect(names, where).toContain(name);
    expect(Object.keys(dimensions).sort(), `${where}: ${name}`).toEqual([...dimensionsOf(name as MetricName)].sort());
    expect(dimensions["Stack"], where).toBe("drover");
    for (const [dimension, values] of Object.entries(valuesOf(name as MetricName))) {
      expect(values, `${where}: ${name}`).toContain(dimensions[dimension]);
    }
  }
});

test("every metric of AWS's own that is named exists, of a resource of this stack", () => {
  for (const { where, namespace, name, dimensions } of used) {
    if (namespace === metricNamespace) continue;
    const known = theirs[`${namespace} ${name}`];
    expect(known, `${where}: ${namespace} ${name}`).toBeDefined();
    const there = resources.all.filter(({ type }) => type === known?.of).map(({ id }) => `drover-${id}`);
    expect(Object.keys(dimensions), where).toEqual([known?.dimension]);
    expect(there, where).toContain(dimensions[known?.dimension ?? ""]);
  }
});

/** Every place that counts a metric, or makes one for somebody else to count: its name, and the text of its values and properties. */
const emissions = [
  ...code.matchAll(/(?:\bcount\(|\[)\s*"([A-Z]\w+)",([^()[\]]*(?:\([^()]*\)[^()[\]]*)*)[)\]]/g),
].flatMap(([, name = "", rest = ""]) => (/^\s*[^"\s]/.test(rest) ? [{ name, rest }] : []));
/** The values that such a place gives a dimension. */
const emittedValues = (rest: string, dimension: string): string[] => {
  const [, value = ""] = new RegExp(`\\b${dimension}:([^,}]*)`).exec(rest) ?? [];
  return [...value.replaceAll(/[!=]== "[^"]*"/g, "").matchAll(/"([^"]*)"/g)].map(([, found = ""]) => found);
};

test("every metric that the code counts is in the catalogue, and every metric of the catalogue is counted (cases.md 60)", () => {
  expect([...new Set(emissions.map(({ name }) => name))].sort()).toEqual([...names].sort());
});

test("a metric is counted with values of its dimension that the catalogue has, and with each of them", () => {
  for (const name of names) {
    const own = emissions.filter((emission) => emission.name === name);
    for (const [dimension, values] of Object.entries(valuesOf(name))) {
      for (const { rest } of own) expect(emittedValues(rest, dimension), `${name}: ${rest}`).not.toEqual([]);
      const emitted = new Set(own.flatMap(({ rest }) => emittedValues(rest, dimension)));
      expect([...emitted].sort(), name).toEqual([...values].sort());
    }
  }
});

test("every metric of the catalogue can be seen on the dashboard, in each of its values", () => {
  const shown = new Set(widgetMetrics().map(({ name, dimensions }) => `${name} ${JSON.stringify(dimensions)}`));
  for (const name of names) {
    const own = Object.entries(valuesOf(name)).flatMap(([dimension, values]) =>
      values.map((value) => ({ [dimension]: value })),
    );
    for (const more of own.length === 0 ? [{}] : own) {
      expect(shown, name).toContain(`${name} ${JSON.stringify({ Stack: "drover", ...more })}`);
    }
  }
});

test("the dashboard has one row for the stack and one for each integration that is on", () => {
  expect(widgets().reduce((sum, { width }) => sum + width, 0)).toBe(4 * 24);
  expect(widgets({ Kici: "off", HelmrControlPlaneUrl: "" }).reduce((sum, { width }) => sum + width, 0)).toBe(2 * 24);
  const titles = widgets({ Zoomies: "off" }).map(({ properties }) => properties.title);
  expect(titles.filter((title) => title.startsWith("Zoomies"))).toEqual([]);
  expect(titles.filter((title) => title.startsWith("Helmr"))).toHaveLength(3);
});

test("what must stay 0 has an alarm on its first occurrence, and missing data is no alarm there", () => {
  for (const name of ["DemandLost", "Stalled", "ConfigError"]) {
    const alarm = alarms.find(({ properties }) => properties["MetricName"] === name)?.properties;
    expect(alarm, name).toMatchObject({
      Statistic: "Sum",
      Threshold: 0,
      ComparisonOperator: "GreaterThanThreshold",
      EvaluationPeriods: 1,
      TreatMissingData: "notBreaching",
    });
  }
});

test("every scheduled function has an alarm that its silence sets off", () => {
  const runs = valuesOf("RunCompleted")["Run"] ?? [];
  const silent = alarms.filter(({ properties }) => properties["MetricName"] === "RunCompleted");
  const watched = silent.map(({ properties }) => {
    expect(properties).toMatchObject({
      TreatMissingData: "breaching",
      ComparisonOperator: "LessThanThreshold",
      Threshold: 1,
    });
    return (properties["Dimensions"] as { Name: string; Value: string }[]).find(({ Name }) => Name === "Run")?.Value;
  });
  expect(watched.sort()).toEqual([...runs].sort());
});

test("a runaway is told from the hosts launched within an hour", () => {
  const { properties } = alarms.find(({ id }) => id === "RunawayAlarm") ?? { properties: {} };
  expect(properties).toMatchObject({ MetricName: "Launches", Period: 3_600, Threshold: 100, Statistic: "Sum" });
});
