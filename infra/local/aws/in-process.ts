import { AwsError } from "./aws-error.ts";
import type { Cloud } from "./cloud.ts";
import { ConnectionLost, createFaults, type Faults } from "./faults.ts";
import type { Service } from "./operation.ts";

/** A command of any AWS SDK client: its input, and the API model's name for its operation. */
interface SdkCommand {
  readonly input: object;
  readonly schema?: unknown;
}

/** Stands where an SDK client is expected: `send` only. */
export interface InProcessClient {
  // The SDK's clients answer each command with its own output type; an adapter gets that type from its own port.
  send(command: SdkCommand): Promise<never>;
  destroy(): void;
}

export interface InProcessOptions {
  faults?: Faults;
  /** Who asks: one name for each environment of a function. */
  caller?: string;
  /** Milliseconds of the world's time after which the client gives up waiting; the call may still have its effect. */
  timeoutMs?: number;
  /** Told of every call before it is performed. */
  onCall?: (service: Service, operation: string) => void;
}

const services: Readonly<Record<string, Service>> = {
  "com.amazonaws.autoscaling": "auto-scaling",
  "com.amazonaws.ec2": "ec2",
  "com.amazonaws.secretsmanager": "secretsmanager",
};

/** Auto Scaling's codes that the SDK knows under a longer name. */
const sdkNames: Readonly<Record<string, string>> = {
  AlreadyExists: "AlreadyExistsFault",
  IdempotentCallInProgress: "IdempotentCallInProgressFault",
  LimitExceeded: "LimitExceededFault",
  ResourceContention: "ResourceContentionFault",
  ResourceInUse: "ResourceInUseFault",
  ScalingActivityInProgress: "ScalingActivityInProgressFault",
};

/**
 * The SDK client of a world without sockets: the same commands, outputs and error names, on the world's own clock. Waiting is planned
 * in the world, so somebody has to move its clock.
 */
export function inProcessClient(cloud: Cloud, options: InProcessOptions = {}): InProcessClient {
  const { faults = createFaults(), caller = "in-process", timeoutMs, onCall } = options;
  const wait = (ms: number) => new Promise<void>((resolve) => cloud.at(cloud.world.now() + ms, resolve));
  return {
    async send(command) {
      const { service, operation } = operationOf(command);
      onCall?.(service, operation);
      const effect = () => ({ ...cloud.call(service, operation, command.input, caller), $metadata: metadata(200) });
      const call = { service, operation, caller, input: command.input };
      const answer = faults.perform(call, cloud.world.now(), effect, { wait });
      try {
        return (await (timeoutMs === undefined ? answer : Promise.race([answer, giveUp(wait, timeoutMs)]))) as never;
      } catch (error) {
        throw asSdkError(error, service);
      }
    },
    destroy() {},
  };
}

async function giveUp(wait: (ms: number) => Promise<void>, ms: number): Promise<never> {
  await wait(ms);
  throw Object.assign(new Error(`Request did not complete within ${ms} ms`), { name: "TimeoutError" });
}

function operationOf(command: SdkCommand): { service: Service; operation: string } {
  const [, namespace, operation] = (command.schema ?? []) as [number, string, string];
  const service = services[namespace];
  if (service === undefined) throw new TypeError(`No simulated service serves ${namespace}`);
  return { service, operation };
}

function asSdkError(error: unknown, service: Service): unknown {
  if (error instanceof ConnectionLost) return Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
  if (!(error instanceof AwsError)) return error;
  const name = service === "auto-scaling" ? (sdkNames[error.code] ?? error.code) : error.code;
  const { fault, httpStatus } = error;
  return Object.assign(new Error(error.message), { name, $fault: fault, $metadata: metadata(httpStatus) });
}

function metadata(httpStatusCode: number) {
  return { httpStatusCode, attempts: 1, totalRetryDelay: 0 };
}
