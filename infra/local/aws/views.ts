/** How far behind the truth reads are, in milliseconds: one number, or one for each resource (`group/NAME`, `instance/ID`). */
export type DescribeLag = number | ((resource: string) => number);

/** What Describe calls see of one kind of resource: the state of a moment ago, as eventual consistency allows. */
export interface Views<T> {
  /** Takes the present as the past, before reads begin to lag behind it. */
  begin(): void;
  /** Notes that a resource is new, changed or gone. */
  changed(key: string): void;
  /** The resource as a read sees it now, or undefined where the read does not know it (yet, or any more). */
  get(key: string): T | undefined;
  /** Every key a read may know, in order of creation. */
  keys(): string[];
}

interface ViewsOptions<T> {
  prefix: string;
  now: () => number;
  lag: () => DescribeLag;
  live: () => Iterable<string>;
  render: (key: string) => T | undefined;
}

interface Version<T> {
  at: number;
  value: T | undefined;
}

/** Versions older than this are dropped, so a lag must stay below it. */
const KEPT_MS = 15 * 60_000;

export function createViews<T>(options: ViewsOptions<T>): Views<T> {
  const versions = new Map<string, Version<T>[]>();
  const lagOf = (key: string): number => {
    const lag = options.lag();
    return typeof lag === "number" ? lag : lag(`${options.prefix}/${key}`);
  };
  return {
    begin() {
      versions.clear();
      for (const key of options.live()) versions.set(key, [{ at: 0, value: options.render(key) }]);
    },
    changed(key) {
      if (options.lag() === 0) return;
      const now = options.now();
      const kept = versions.get(key) ?? [];
      const last = kept.at(-1);
      const version = { at: now, value: options.render(key) };
      if (last?.at === now) kept[kept.length - 1] = version;
      else kept.push(version);
      // The newest version outside the window is what the window's oldest read sees.
      while (kept.length > 1 && (kept[1] as Version<T>).at <= now - KEPT_MS) kept.shift();
      versions.set(key, kept);
    },
    get(key) {
      const lag = lagOf(key);
      const kept = lag === 0 ? undefined : versions.get(key);
      if (kept === undefined) return options.render(key);
      const seen = kept.findLast((version) => version.at <= options.now() - lag);
      return seen === undefined ? undefined : structuredClone(seen.value);
    },
    keys() {
      const live = [...options.live()];
      if (versions.size === 0) return live;
      return [...new Set([...versions.keys(), ...live])];
    },
  };
}
