import { unsafeToGrow, unsafeToShrink } from "../../lib/capacity/safety.ts";
import { shrinks } from "./checks/safety.ts";
import type { Diagnosis, Severity } from "./diagnosis.ts";
import type { Facts, GroupFacts } from "./facts.ts";
import { integrations } from "./integrations.ts";
import { valueOr } from "./known.ts";
import { notChecked } from "./not-checked.ts";

/** What a run found, for programs; the lines are the same for people. */
export interface Report {
  readonly stack: string;
  readonly status: string;
  readonly integrations: readonly string[];
  readonly safeToGrow: readonly string[];
  readonly safeToShrink: readonly string[];
  readonly findings: readonly Diagnosis[];
  readonly notChecked: readonly string[];
}

export function report(facts: Facts, findings: readonly Diagnosis[]): Report {
  const groups = valueOr(facts.groups, []);
  const names = (fits: (group: GroupFacts) => boolean) => groups.filter(fits).map(({ group }) => group.name);
  const on = Object.entries(integrations(facts.stack));
  return {
    stack: facts.stack.name,
    status: facts.stack.status,
    integrations: on.filter(([, isOn]) => isOn).map(([name]) => name),
    safeToGrow: names(({ group }) => unsafeToGrow(group).length === 0),
    safeToShrink: names((each) => shrinks(each) && unsafeToShrink(each.group, each.shrink).length === 0),
    findings,
    notChecked: notChecked(facts),
  };
}

const spoken: Readonly<Record<string, string>> = {
  zoomies: "Zoomies",
  zoomiesHosts: "Zoomies' API",
  helmr: "Helmr",
  kici: "KiCI",
};

export function reportLines({ stack, status, findings, ...told }: Report): string[] {
  const list = (items: readonly string[]) => (items.length === 0 ? "none" : items.join(", "));
  const count = (severity: Severity) => {
    const { length } = findings.filter((finding) => finding.severity === severity);
    return `${length} ${severity}${length === 1 ? "" : "s"}`;
  };
  return [
    `Stack ${stack} is ${status}. On: ${list(told.integrations.map((name) => spoken[name] ?? name))}.`,
    `Safe to grow: ${list(told.safeToGrow)}.`,
    `Safe to shrink: ${list(told.safeToShrink)}.`,
    ...findings.flatMap(({ severity, code, resource, what, why, fix }) => [
      "",
      `${severity} ${code}: ${resource}`,
      `  what  ${what}`,
      `  why   ${why}`,
      `  fix   ${fix}`,
    ]),
    ...(told.notChecked.length === 0 ? [] : ["", "Not checked:", ...told.notChecked.map((each) => `  ${each}`)]),
    "",
    `${count("error")}, ${count("warning")}.`,
  ];
}
