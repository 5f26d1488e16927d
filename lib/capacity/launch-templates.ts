import type { Tags } from "./tag-reader.ts";

/** A launch template as it stands in the list. */
export interface LaunchTemplate {
  readonly id: string;
  readonly name: string;
  /** The version that is launched: the template's default one. */
  readonly version: string;
  readonly tags: Tags;
}

/** What one version of a template holds, as far as a launch depends on it. */
export interface LaunchTemplateVersion {
  /** The AMI; undefined when the version names none. */
  readonly imageId: string | undefined;
  /** It describes network interfaces, which cannot go together with a subnet of the request's own. */
  readonly hasInterfaces: boolean;
  /** It asks for Spot capacity that comes back after its instance was ended. */
  readonly isPersistentSpot: boolean;
}

/** Launch templates as the launching half of Drover needs them. Every error throws. */
export interface LaunchTemplates {
  /** The templates of this stack that carry `tag` with exactly this value. */
  tagged(tag: string, value: string): Promise<LaunchTemplate[]>;
  version(id: string, version: string): Promise<LaunchTemplateVersion>;
}
