import type { Instance } from "../capacity/instances.ts";
import type { AgentName } from "./agent-record.ts";
import { agentTag, managedTag, scalerTag } from "./attempt.ts";

/** Tag that Auto Scaling puts on its own instances; whoever carries it is replaced when it is ended, and not ours to end. */
const groupTag = "aws:autoscaling:groupName";

/** The keys that every instance we launch carries, beside the stack's own. */
export const agentTags = [managedTag, agentTag, scalerTag] as const;

/** Whether an instance of this stack is a KiCI agent's (the issue: a candidate). */
export const isAgentInstance = ({ tags }: Instance): boolean =>
  agentTags.every((tag) => (tags[tag] ?? "") !== "") && tags[groupTag] === undefined;

export const agentOf = ({ tags }: Instance): AgentName => ({
  scaler: tags[scalerTag] ?? "",
  agent: tags[agentTag] ?? "",
});
