export type Architecture = "x86_64" | "arm64";

/** One instance type's size. */
export interface InstanceType {
  readonly name: string;
  readonly vcpus: number;
  readonly memoryBytes: number;
  /** undefined for a type that runs neither of the two that Drover launches. */
  readonly architecture: Architecture | undefined;
}

/** The region's instance types. Sizes never change, so an adapter may keep what it has seen. */
export interface InstanceTypes {
  /** Those of the named that exist here, by name. */
  named(names: readonly string[]): Promise<ReadonlyMap<string, InstanceType>>;
}
