/** What a function finds in its environment. A missing or malformed setting stops it at start, with the name to fix. */
export interface Environment {
  text(name: string): string;
  /** A setting that may be left out: undefined when it is absent or empty. */
  optional(name: string): string | undefined;
  /** A duration in minutes, returned in milliseconds. */
  minutes(name: string): number;
  /** A duration in seconds, returned in milliseconds. */
  seconds(name: string): number;
}

export function environment(variables: Readonly<Record<string, string | undefined>>): Environment {
  function text(name: string): string {
    const value = variables[name];
    if (value === undefined || value === "") throw new Error(`Environment variable ${name} is not set.`);
    return value;
  }
  function duration(name: string, unit: string, unitMs: number): number {
    const value = Number(text(name));
    if (!(value > 0 && Number.isFinite(value)))
      throw new Error(`Environment variable ${name} must be a number of ${unit} above 0.`);
    return value * unitMs;
  }
  return {
    text,
    optional: (name) => variables[name] || undefined,
    minutes: (name) => duration(name, "minutes", 60_000),
    seconds: (name) => duration(name, "seconds", 1_000),
  };
}
