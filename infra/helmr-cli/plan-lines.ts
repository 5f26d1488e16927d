import type { Finding } from "../../lib/capacity/finding.ts";
import type { DryActions } from "../../lib/helmr/dry-actions.ts";
import type { Plan } from "../../lib/helmr/protocol.ts";
import { table } from "../cli/outcome.ts";

/** One pool of the dry run, in hosts or instances. */
export interface PoolView {
  readonly pool: string;
  readonly status: string;
  readonly group: string;
  readonly min: number;
  readonly max: number;
  readonly desired: number;
  readonly count: Readonly<Record<string, number>>;
  /** Registering rows are in flight too. */
  readonly registering: number;
  readonly in_flight: number;
  readonly headroom: number;
  /** What keeps the provider's side from being complete and stable. */
  readonly unsettled: readonly string[];
  readonly hosts_outside: readonly string[];
}

/** A dry run as `--json` prints it. */
export interface PlanView extends DryActions {
  readonly worker_group: { readonly name: string; readonly id: string; readonly status: string };
  readonly observed_at: string;
  /** The operator's reason while the group is paused. */
  readonly paused: string | null;
  /** Why this look permits no scale-in; empty when it is whole. */
  readonly advisory: readonly string[];
  readonly pools: readonly PoolView[];
  readonly plan: Plan | null;
  readonly findings: readonly Finding[];
  /** What could not be read. */
  readonly notes: readonly string[];
}

/** A dry run as a person reads it. */
export function planLines(view: PlanView): string[] {
  const { worker_group: group, observed_at, paused, advisory, would, wouldNot } = view;
  return [
    `Worker group ${group.name} is ${group.status}, observed at ${observed_at}.`,
    ...(paused === null
      ? []
      : [`It is PAUSED (${paused || "no reason given"}): nothing of the following would be done.`]),
    advisory.length === 0 ? "The look is whole." : `Advisory only, no scale-in: ${advisory.join("; ")}.`,
    ...section("Observation", observation(view.pools)),
    ...section("Plan", view.plan === null ? ["none"] : plan(view.plan)),
    ...section("Would do, in this order", would.map(line), "nothing"),
    ...section("Would not", wouldNot.map(line), "nothing is held back"),
    ...section(
      "Findings",
      view.findings.map(({ code, resource, message, fix }) => `${code} ${resource}: ${message} ${fix}`),
      "none",
    ),
    ...(view.notes.length === 0 ? [] : section("Not read", view.notes)),
  ];
}

const line = ({ subject, text }: DryActions["would"][number]): string => `${subject}: ${text}`;

function section(title: string, lines: readonly string[], otherwise?: string): string[] {
  const shown = lines.length === 0 && otherwise !== undefined ? [otherwise] : lines;
  return ["", `${title}:`, ...shown.map((each) => `  ${each}`)];
}

const counted = [
  ["ACTIVE", "active"],
  ["DRAINING", "draining"],
  ["READY", "ready"],
  ["TERMINATING", "terminating"],
  ["UNUSABLE", "unusable"],
  ["STUCK", "stuck"],
  ["LOST", "lost_alive"],
  ["FOREIGN", "foreign"],
] as const;

function observation(pools: readonly PoolView[]): string[] {
  if (pools.length === 0) return ["no pool: see the findings"];
  const headings = ["POOL", "STATUS", "GROUP", "DESIRED", "MIN", "MAX", "REGISTERING", "IN FLIGHT"];
  const rows = pools.map(({ pool, status, group, desired, min, max, registering, in_flight, headroom, count }) => [
    ...[pool, status, group],
    ...[desired, min, max, registering, in_flight, ...counted.map(([, role]) => count[role] ?? 0), headroom].map(
      String,
    ),
  ]);
  return [
    ...table([...headings, ...counted.map(([heading]) => heading), "HEADROOM"], rows),
    ...pools.map(({ pool, unsettled, hosts_outside: outside }) => {
      const against = [
        ...unsettled,
        ...(outside.length === 0 ? [] : [`hosts outside the group: ${outside.join(" ")}`]),
      ];
      return `${pool}: ${against.length === 0 ? "complete and stable" : against.join("; ")}`;
    }),
  ];
}

function plan({ pools, unmatched_demand: unmatched, complete, computed_at, group_status }: Plan): string[] {
  const headings = ["POOL", "RECOMMENDED", "QUEUED", "ACTIVE", "REGISTERING", "COMPLETE", "SATURATED", "BLOCKED"];
  const rows = pools.map((row) => [
    row.pool_name,
    String(row.recommended_additional_workers),
    String(row.compatible_queued_items),
    String(row.active_workers),
    String(row.registering_workers),
    String(row.complete),
    String(row.saturated),
    String(row.scale_in_blocked),
  ]);
  return [
    `computed at ${computed_at}, group ${group_status}, complete: ${complete}`,
    ...table(headings, rows),
    ...unmatched.map(({ reason, count }) => `unmatched demand: ${count}, ${reason}`),
  ];
}
