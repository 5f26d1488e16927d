/** Something about a resource that a person should change: what is wrong, where, and the fix (design: fleets by tags). */
export interface Finding {
  readonly code: string;
  /** The resource's name, such as the group's. */
  readonly resource: string;
  readonly tag?: string;
  readonly message: string;
  readonly fix: string;
}
