import type { CloudEvent } from "./aws/cloud-events.ts";

/** One line of the timeline: who speaks, and what happened. What every minute run says again is `recurring`. */
export type Entry = {
  source: "zoomies" | "kici" | "helmr" | "drover" | "group" | "ec2" | "local";
  text: string;
  recurring?: boolean;
};

export type Timeline = { add(entry: Entry | undefined): void };

/** Prints entries with their time; a recurring one is left out until something else was said in its place. */
export function timeline(print: (line: string) => void, clock: { now(): number }): Timeline {
  const said = new Set<string>();
  return {
    add(entry) {
      if (entry === undefined || (entry.recurring && said.has(entry.text))) return;
      if (!entry.recurring) said.clear();
      said.add(entry.text);
      const time = new Date(clock.now()).toTimeString().slice(0, 8);
      print(`${time}  ${entry.source.padEnd(7)}  ${entry.text}`);
    },
  };
}

type LogLine = Readonly<Record<string, unknown>>;

/** What a structured log line of a function means for a reader; undefined for metrics and for what says nothing new. */
export function functionEntry(line: string): Entry | undefined {
  const log = parsed(line);
  if (log === undefined) return line.trim() === "" ? undefined : { source: "drover", text: line };
  if ("_aws" in log) return undefined;
  const text = functionText(log);
  if (text === undefined) return undefined;
  // What is raised or ended is an event; what is left as it is may be said again.
  const isSettled = log["message"] === "decision" && log["from"] === log["to"];
  const isRepeated = ["finding", "failed", "run"].includes(String(log["message"])) || isAskedAgain(log);
  return { source: "drover", text, ...(isSettled || isRepeated ? { recurring: true } : {}) };
}

function functionText(log: LogLine): string | undefined {
  switch (log["message"]) {
    case "event": {
      const [capacity, required] = [Number(log["capacity"]), Number(log["required"])];
      const kind = String(log["type"]).replaceAll("_", " ");
      return `received ${kind} for ${log["poolId"]}: ${capacity} slots ${required < 0 ? "-" : "+"} ${Math.abs(required)} = target ${capacity + required}`;
    }
    case "decision": {
      // Helmr's decisions are said in words.
      if (typeof log["decided"] === "string") return `${log["fleet"]}: ${log["decided"]}`;
      const reasons = Array.isArray(log["reasons"]) ? log["reasons"].join("; ") : "";
      const outcome = log["outcome"] === "accepted" || log["outcome"] === "none" ? "" : ` [${log["outcome"]}]`;
      const [from, to] = [log["from"], log["to"]];
      const act =
        from === to ? `leave ${log["fleet"]} at ${from}` : `raise ${log["fleet"]} from ${from} to ${to} hosts`;
      return `decided to ${act}: ${reasons}${outcome}`;
    }
    case "host":
      return hostText(log);
    case "received":
      return log["outcome"] === "applied" ? undefined : `answered: ${log["outcome"]}`;
    case "run":
      return Number(log["settled"]) > 0
        ? `minute run: settled ${log["settled"]} of ${log["groups"]} groups`
        : undefined;
    case "launch": {
      const { agent, instanceType, subnet, outcome, code } = log;
      const end = code === undefined ? outcome : `${outcome} (${code})`;
      return `launches agent ${agent} as ${instanceType} in ${subnet}, attempt ${log["attempt"]}: ${end}`;
    }
    case "terminate":
      return `terminates ${log["id"]} of agent ${log["agent"]}: ${log["outcome"]}`;
    case "reaped":
      return `reaper ended ${log["instanceId"]} of agent ${log["agent"]}: ${log["reason"]}`;
    case "refused":
      return `refused with ${log["status"]} ${log["code"]}: ${log["detail"]}`;
    default: {
      if (log["level"] === "info") return undefined;
      const { level, message, correlationId: _id, detail, fix, ...rest } = log;
      const words = [detail, fix].filter((part) => typeof part === "string").join(" ");
      return `${level}: ${message}${words === "" ? "" : `: ${words}`} ${JSON.stringify(rest)}`;
    }
  }
}

const hostActions: Readonly<Record<string, string>> = {
  "complete-launch": "let in",
  "abandon-launch": "give up",
  "complete-termination": "let go",
  cordon: "cordon",
  uncordon: "give back",
  drain: "drain",
  terminate: "terminate",
  "terminate-unjoined": "terminate",
  "delete-row": "delete the host row of",
};

/** A step of one host's life; undefined for a wait that is prolonged. */
function hostText({ kind, instance, reason, outcome }: LogLine): string | undefined {
  const action = hostActions[String(kind)];
  return action === undefined ? undefined : `decided to ${action} ${instance}: ${reason} [${outcome}]`;
}

/** A row that Zoomies still records runners on is asked to go by every run until it does. */
const isAskedAgain = ({ message, kind }: LogLine): boolean => message === "host" && kind === "delete-row";

function parsed(line: string): LogLine | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as LogLine) : undefined;
  } catch {
    return undefined;
  }
}

/** What an event of the simulated cloud means for a reader; undefined for the steps between. */
export function cloudEntry(event: CloudEvent): Entry | undefined {
  switch (event.type) {
    case "desired-capacity":
      return { source: "group", text: `${event.group}: desired capacity ${event.from} -> ${event.to}` };
    case "instance-state":
      return instanceEntry(event);
    case "member-state":
      if (event.to !== "InService") return undefined;
      return { source: "group", text: `${event.group}: ${event.instanceId} is in service` };
    case "scaling-activity":
      if (event.status !== "Failed") return undefined;
      return { source: "group", text: `${event.group}: a scaling activity failed: ${event.description}` };
    default:
      return undefined;
  }
}

function instanceEntry({ instanceId, to, group }: CloudEvent & { type: "instance-state" }): Entry | undefined {
  const states: Readonly<Record<string, string>> = {
    pending: "is booting",
    "shutting-down": "is shutting down",
    terminated: "is terminated",
    stopped: "is stopped",
  };
  const state = states[to];
  if (state === undefined) return undefined;
  return { source: "ec2", text: `${instanceId} ${state}${group === undefined ? "" : ` for ${group}`}` };
}
