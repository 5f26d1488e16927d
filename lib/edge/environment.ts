/** What a function finds in its environment. A missing or malformed setting stops it at start, with the name to fix. */
export interface Environment {
  text(name: string): string;
  /** Undefined where the setting is absent or empty. */
  optional(name: string): string | undefined;
  /** A duration in minutes, returned in milliseconds. */
  minutes(name: string): number;
}

export function environment(variables: Readonly<Record<string, string | undefined>>): Environment {
  function text(name: string): string {
    const value = variables[name];
    if (value === undefined || value === "") throw new Error(`Environment variable ${name} is not set.`);
    return value;
  }
  return {
    text,
    optional: (name) => variables[name] || undefined,
    minutes(name) {
      const minutes = Number(text(name));
      if (!(minutes > 0 && Number.isFinite(minutes)))
        throw new Error(`Environment variable ${name} must be a number of minutes above 0.`);
      return minutes * 60_000;
    },
  };
}
