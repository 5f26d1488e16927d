import {
  type _InstanceType,
  type EC2Client,
  RunInstancesCommand,
  type RunInstancesCommandInput,
} from "@aws-sdk/client-ec2";
import { errorCode } from "./error-codes.ts";
import type { Launches, LaunchRequest } from "./instances.ts";
import { launchRefusal } from "./launch-error-codes.ts";

const taggedInTheCall = ["instance", "volume", "network-interface"] as const;

/** Launching through the AWS SDK; `mutations` sends each call exactly once, since only its caller knows when a repeat is right. */
export function ec2Launches(mutations: EC2Client): Launches {
  return {
    async launch(request) {
      try {
        const { Instances: [instance] = [] } = await mutations.send(
          new RunInstancesCommand(runInstancesInput(request)),
        );
        if (instance?.InstanceId === undefined) return { outcome: "unknown", code: "NoInstanceInAnswer" };
        return { outcome: "launched", id: instance.InstanceId };
      } catch (error) {
        const code = errorCode(error);
        const kind = launchRefusal(code, statusOf(error));
        return kind === "unknown" ? { outcome: "unknown", code } : { outcome: "refused", code, kind };
      }
    },
  };
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } } | undefined)?.$metadata?.httpStatusCode;
}

/** Image, security groups, key and instance profile are the template's own; IAM allows no others. */
function runInstancesInput(request: LaunchRequest): RunInstancesCommandInput {
  const tags = Object.entries(request.tags).map(([Key, Value]) => ({ Key, Value }));
  return {
    ClientToken: request.token,
    MinCount: 1,
    MaxCount: 1,
    LaunchTemplate: { LaunchTemplateId: request.templateId, Version: request.templateVersion },
    InstanceType: request.instanceType as _InstanceType,
    SubnetId: request.subnet,
    UserData: Buffer.from(request.userData).toString("base64"),
    // Powering off must end the instance; EC2's own default stops it and goes on billing its disk (kici-notes 5).
    InstanceInitiatedShutdownBehavior: "terminate",
    // A protected instance could not be torn down.
    DisableApiTermination: false,
    // The claim code stands in the user data: no forwarded request and no container behind a bridge may read it.
    MetadataOptions: { HttpEndpoint: "enabled", HttpTokens: "required", HttpPutResponseHopLimit: 1 },
    // In the call itself, so that no instance is ever without them (cases.md 27).
    TagSpecifications: taggedInTheCall.map((ResourceType) => ({ ResourceType, Tags: tags })),
  };
}
