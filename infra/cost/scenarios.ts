import { metricCatalogue } from "../../lib/edge/metrics.ts";
import { root } from "../build/entry-points.ts";
import { examplePlace } from "../build/template-functions.ts";
import { readResources } from "../local/cloudformation/resources.ts";
import type { Measured } from "./measure.ts";
import { monthlyUsd } from "./prices.ts";
import { monthOf, type Often, type Run, type Standing } from "./usage.ts";

/** One line of the table: USD a month. */
export interface Row {
  readonly what: string;
  readonly idle: { readonly free: number; readonly full: number };
  readonly busy: { readonly free: number; readonly full: number };
}

const minutes = 30 * 24 * 60;
const eventsAMonth = 30 * 1_000;
/** A stream's run lives until the next one has taken over, and this long beside it. */
const overlapSeconds = 2;

const withoutHelmr = { Zoomies: "on", ZoomiesApiUrl: "https://zoomies.example.com", Kici: "on" };
const helmr = (cadence: string) => ({
  ...withoutHelmr,
  HelmrControlPlaneUrl: "https://helmr.example.com",
  HelmrCadence: cadence,
});

/** The README's table: what stands is counted in the template, what runs is what was measured. */
export function rows(measured: Measured): Row[] {
  const { zoomiesRun, kiciRun, helmrCycle } = measured;
  const schedules: Often[] = [
    { run: zoomiesRun, times: minutes, by: "schedule" },
    { run: kiciRun, times: minutes / 5, by: "schedule" },
  ];
  const ticks: Often = { run: helmrCycle, times: 4 * minutes, by: "queue" };
  const stream: Often = { run: streamed(helmrCycle), times: minutes, by: "schedule" };
  return [
    row("Zoomies and KiCI", withoutHelmr, schedules, measured),
    row("with Helmr, `ticks`", helmr("ticks"), [...schedules, ticks], measured),
    row("with Helmr, `stream`", helmr("stream"), [...schedules, stream], measured),
  ];
}

/** A minute of an invocation that lives: its four cycles, and waiting that is billed like work. */
const streamed = (cycle: Run): Run => ({
  ...cycle,
  ms: (60 + overlapSeconds) * 1000,
  calls: 0,
  reads: cycle.reads * 4 + 12,
  writes: cycle.writes * 4,
  secretReads: 1,
  logBytes: cycle.logBytes * 4,
});

function row(
  what: string,
  parameters: Readonly<Record<string, string>>,
  runs: readonly Often[],
  { event }: Measured,
): Row {
  const busy: Often[] = [...runs, { run: event, times: eventsAMonth, by: "api" }];
  const cost = (often: readonly Often[], isBusy: boolean) => {
    const usage = monthOf(standing(parameters, isBusy), often);
    return { free: monthlyUsd(usage, true), full: monthlyUsd(usage, false) };
  };
  return { what, idle: cost(runs, false), busy: cost(busy, true) };
}

function standing(parameters: Readonly<Record<string, string>>, isBusy: boolean): Standing {
  const resources = readResources(`${root}template.yaml`, examplePlace, parameters);
  const alarms = resources.ofType("AWS::CloudWatch::Alarm").map(({ properties }) => {
    const metrics = properties["Metrics"] as { MetricStat?: unknown }[] | undefined;
    return metrics?.filter(({ MetricStat }) => MetricStat !== undefined).length ?? 1;
  });
  const silence = resources
    .ofType("AWS::CloudWatch::Alarm")
    .filter(({ properties }) => properties["MetricName"] === "RunCompleted");
  const combinations = Object.values(metricCatalogue).reduce((sum, metric) => {
    const own: readonly (readonly string[])[] = "by" in metric ? Object.values(metric.by) : [];
    return sum + own.reduce((product, values) => product * values.length, 1);
  }, 0);
  return {
    secrets: resources.ofType("AWS::SecretsManager::Secret").length,
    alarmMetrics: alarms.reduce((sum, count) => sum + count, 0),
    dashboards: resources.ofType("AWS::CloudWatch::Dashboard").length,
    // A metric costs in hours in which it is counted: at idle that is the runs that ended well.
    customMetrics: isBusy ? combinations : silence.length,
    polledQueues: resources.all.filter(({ type }) => type === "AWS::Lambda::EventSourceMapping").length,
  };
}
