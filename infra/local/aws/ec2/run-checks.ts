import type { RunInstancesCommandInput } from "@aws-sdk/client-ec2";
import { AwsError } from "../aws-error.ts";

/** EC2 takes user data of 16 KiB before its base64 encoding. */
const mostUserDataBytes = 16_384;

/** Refuses what EC2 refuses before it looks for capacity. */
export function checkRunRequest(input: RunInstancesCommandInput): void {
  checkCounts(input.MinCount, input.MaxCount);
  checkUserData(input.UserData);
  checkTags(input);
  if (input.ClientToken !== undefined && !/^[\x20-\x7e]{0,64}$/.test(input.ClientToken)) {
    throw new AwsError("InvalidClientToken", "The client token must be at most 64 ASCII characters.");
  }
  if (input.DryRun === true) {
    throw new AwsError("DryRunOperation", "Request would have succeeded, but DryRun flag is set.", 412);
  }
}

function checkCounts(least: number | undefined, most: number | undefined): void {
  if (least === undefined || most === undefined) {
    const missing = least === undefined ? "MinCount" : "MaxCount";
    throw new AwsError("MissingParameter", `The request must contain the parameter ${missing}`);
  }
  if (least >= 1 && most >= least) return;
  throw new AwsError("InvalidParameterValue", `Invalid value '${least}' for minCount with maxCount '${most}'.`);
}

function checkUserData(userData: string | undefined): void {
  if (userData === undefined) return;
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(userData)) {
    throw new AwsError("InvalidUserData.Malformed", "Invalid BASE64 encoding of user data.");
  }
  if (Buffer.from(userData, "base64").length > mostUserDataBytes) {
    throw new AwsError("InvalidParameterValue", `User data is limited to ${mostUserDataBytes} bytes`);
  }
}

function checkTags(input: RunInstancesCommandInput): void {
  for (const { Tags: tags = [] } of input.TagSpecifications ?? []) {
    if (tags.length > 50) throw new AwsError("TagLimitExceeded", "More than 50 tags specified");
    for (const { Key: key = "", Value: value = "" } of tags) {
      if (key.toLowerCase().startsWith("aws:")) {
        throw new AwsError("InvalidParameterValue", "Tag keys starting with 'aws:' are reserved for internal use");
      }
      if (key.length < 1 || key.length > 128 || value.length > 256) {
        throw new AwsError("InvalidParameterValue", `Tag '${key.slice(0, 128)}' exceeds the length that is allowed.`);
      }
    }
  }
}
