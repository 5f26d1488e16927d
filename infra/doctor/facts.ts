import type { Group } from "../../lib/capacity/group.ts";
import type { LifecycleHook } from "../../lib/capacity/hooks.ts";
import type { InstanceType } from "../../lib/capacity/instance-types.ts";
import type { ShrinkFacts } from "../../lib/capacity/shrink.ts";
import type { Tags } from "../../lib/capacity/tag-reader.ts";
import type { Deployment } from "../../lib/helmr/protocol.ts";
import type { Known } from "./known.ts";

/** A stack as CloudFormation tells it. */
export interface Deployed {
  readonly name: string;
  /** CloudFormation's own word, such as UPDATE_COMPLETE. */
  readonly status: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, string>>;
}

/** Which version of which launch template a group launches: a number, `$Latest` or `$Default`. */
export interface TemplateUse {
  readonly id: string;
  readonly version: string;
}

export interface GroupFacts {
  /** With its instances. */
  readonly group: Group;
  readonly shrink: ShrinkFacts;
  readonly hooks: readonly LifecycleHook[];
  /** What AWS says of the newest launch, where that one failed. */
  readonly failedLaunch: string | undefined;
  /** undefined: the group has a launch configuration. */
  readonly template: TemplateUse | undefined;
  readonly subnets: readonly string[];
}

/** The version of a template that is really launched. */
export interface LaunchedVersion {
  readonly number: string;
  readonly httpTokens: string | undefined;
  readonly hopLimit: number | undefined;
  /** Bytes before base64. */
  readonly userDataBytes: number;
  readonly hasInstanceProfile: boolean;
}

export interface TemplateFacts {
  readonly id: string;
  readonly name: string;
  readonly tags: Tags;
  readonly defaultVersion: string;
  readonly latestVersion: string;
  /** The group that launches from it; undefined for a template that carries the stack's own tag. */
  readonly group: string | undefined;
  readonly launched: LaunchedVersion;
}

/** What a secret must look like: raw bytes, a token for a header, a Standard Webhooks secret, Helmr's token. */
export type SecretForm = "any" | "bearer" | "webhook" | "capacity-token";

/** What is told of a secret's value; the value itself stays where it was read. */
export interface SecretFacts {
  /** The stack output that names it. */
  readonly output: string;
  readonly form: SecretForm;
  /** undefined: there is no current version. */
  readonly shape: Known<SecretShape | undefined>;
}

export interface SecretShape {
  readonly isPlaceholder: boolean;
  /** Blanks or a line break before or after it. */
  readonly hasEdges: boolean;
  /** The console's key/value form, or any other JSON object. */
  readonly isJson: boolean;
  readonly isWellFormed: boolean;
}

/** One read of Zoomies' API, with the scope that it needs. */
export interface ZoomiesRead {
  readonly secret: "ZoomiesHostsTokenArn" | "ZoomiesJoinsTokenArn";
  readonly scope: string;
  /** `tokenless`: there is no token to ask with, which is told of the secret. */
  readonly outcome: "allowed" | "tokenless" | "unauthorized" | "forbidden" | { readonly failed: string };
}

export interface ZoomiesFacts {
  readonly reads: readonly ZoomiesRead[];
  /** Ids of all pools. */
  readonly pools: Known<readonly string[]>;
}

export interface HelmrFacts {
  readonly deployment: Known<Deployment>;
  /** Worker groups and pools that groups' tags name and Helmr does not know. */
  readonly unknown: Known<readonly { readonly group: string; readonly pool: string | undefined }[]>;
}

/** Everything the checks look at. An integration that is off, or that another fact stands in the way of, is undefined. */
export interface Facts {
  readonly stack: Deployed;
  readonly groups: Known<readonly GroupFacts[]>;
  readonly templates: Known<readonly TemplateFacts[]>;
  readonly instanceTypes: Known<ReadonlyMap<string, InstanceType>>;
  /** Free addresses by subnet id; a subnet that is not there does not exist. */
  readonly freeAddresses: Known<ReadonlyMap<string, number>>;
  readonly secrets: readonly SecretFacts[];
  readonly zoomies: ZoomiesFacts | undefined;
  readonly helmr: HelmrFacts | undefined;
  /** How far this machine's clock is ahead of AWS's, in milliseconds. */
  readonly skewMs: Known<number>;
  /** Lambda executions at one time that are left for functions without a reservation. */
  readonly concurrency: Known<number>;
  /** The trust policy of ZoomiesHostRoleArn, as a parsed document. */
  readonly hostRoleTrust: Known<unknown> | undefined;
}
