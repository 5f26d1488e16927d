import type { World } from "./world.ts";

/** The services that the simulator itself serves; DynamoDB is forwarded. */
export type Service = "auto-scaling" | "ec2" | "secretsmanager";

/** An SDK output without what the client adds to it. */
export type Answer<Output> = Omit<Output, "$metadata">;

/** One API operation: SDK input in, SDK output out, AwsError thrown. */
export type Operation = (world: World, input: never, caller: string) => object;

export type OperationTable = Readonly<Record<string, Operation>>;
