import { agentScript, agentScriptText, bootScript, bootScriptText, environmentFile } from "./agent-scripts.ts";

/** Raised whenever the same input would give other bytes: a launch is repeated only by the builder that began it. */
export const userDataVersion = 1;

/** EC2's limit, in bytes before base64. */
export const mostUserDataBytes = 16_384;

export interface AgentStart {
  readonly agentId: string;
  readonly labels: readonly string[];
  readonly orchestratorUrl: string;
  readonly claimCode: string;
  /** Pinned image reference of a checked fleet. */
  readonly image: string;
  /** Whole minutes until the instance ends itself. */
  readonly lifetimeMinutes: number;
}

/** One line a variable; the event's reader let no value through that could end its line. */
const environmentOf = (start: AgentStart): string =>
  [
    `KICI_ORCHESTRATOR_URL=${start.orchestratorUrl}`,
    `KICI_SCALER_CLAIM_CODE=${start.claimCode}`,
    `KICI_AGENT_ID=${start.agentId}`,
    `KICI_LABELS=${start.labels.join(",")}`,
    // Exactly these five: the agent refuses to start with a KICI_ variable that it does not know (kici-notes 5).
    "KICI_SCALER_MANAGED=1",
    "",
  ].join("\n");

/**
 * cloud-init's user data for one agent. Everything that came from outside is base64 here, so no value can be read as
 * YAML or by a shell, whatever it holds; the scripts are ours.
 */
export function userData(start: AgentStart): string {
  return `#cloud-config
write_files:
${file(environmentFile, "0600", environmentOf(start))}
${file(agentScript, "0700", agentScriptText(start.image))}
${file(bootScript, "0700", bootScriptText(start.lifetimeMinutes))}
runcmd:
  - [/bin/sh, ${bootScript}]
`;
}

const file = (path: string, permissions: string, content: string): string =>
  `  - path: ${path}
    owner: root:root
    permissions: "${permissions}"
    encoding: b64
    content: ${Buffer.from(content).toString("base64")}`;
