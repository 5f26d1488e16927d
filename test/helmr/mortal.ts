import type { HelmrParts } from "../../lib/helmr/parts.ts";
import type { Table } from "../../lib/ledger/table.ts";

/** The invocation died: whatever it calls from here on has neither effect nor answer. */
export class Died extends Error {
  override readonly name = "Died";
}

/**
 * Kills one invocation at a chosen step. Steps are everything that leaves it and changes something: writes to the ledger,
 * mutations at Helmr and at AWS. After the death all its calls fail, reads too; `revive` is the next invocation.
 */
export class Mortality {
  /** Every step so far, by what it was. */
  readonly steps: string[] = [];
  #isDead = false;
  readonly #at: number;
  readonly #moment: "before" | "after";

  constructor(at = Number.POSITIVE_INFINITY, moment: "before" | "after" = "before") {
    this.#at = at;
    this.#moment = moment;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  revive(): void {
    this.#isDead = false;
  }

  async step<T>(what: string, effect: () => Promise<T>): Promise<T> {
    this.check();
    this.steps.push(what);
    const isNow = this.steps.length === this.#at;
    if (isNow) this.#isDead = true;
    if (isNow && this.#moment === "before") throw new Died(what);
    const answer = await effect();
    if (isNow) throw new Died(what);
    return answer;
  }

  check(): void {
    if (this.#isDead) throw new Died("it is dead already");
  }

  table(inner: Table): Table {
    return {
      get: async (keys) => {
        this.check();
        return inner.get(keys);
      },
      query: async (pk, range) => {
        this.check();
        return inner.query(pk, range);
      },
      put: (item, condition) => this.step(`put ${item.pk.split("#")[0]}`, () => inner.put(item, condition)),
    };
  }

  parts(parts: HelmrParts): HelmrParts {
    return {
      ...parts,
      controlPlane: this.#stepping(parts.controlPlane, ["scaleIn", "lost", "drain"]),
      groups: this.#stepping(parts.groups, ["raise"]),
      shrink: this.#stepping(parts.shrink, ["terminate"]),
      hooks: this.#stepping(parts.hooks, ["complete"]),
    };
  }

  #stepping<T extends object>(target: T, mutations: readonly string[]): T {
    return new Proxy(target, {
      get: (of, name) => {
        const call: unknown = Reflect.get(of, name);
        if (typeof call !== "function") return call;
        return async (...parameters: unknown[]): Promise<unknown> => {
          const effect = (): Promise<unknown> => call.apply(of, parameters);
          if (mutations.includes(String(name))) return this.step(String(name), effect);
          this.check();
          return effect();
        };
      },
    });
  }
}
