import { numbering } from "./interleavings-explorer.ts";

/** What becomes of one call: it works, nothing happens, its answer is lost, or its answer is lost to a client that sends it again by itself. */
type Fate = "go" | "fail" | "lost" | "repeat";

export interface Call {
  readonly name: string;
  readonly kind: "read" | "write" | "conditional-put";
  /** What the caller gets when no answer comes. */
  readonly failure: () => Error;
  /** What a client that repeats a write by itself gets for a write of its own that had landed. */
  readonly repeated?: unknown;
}

const fates: Readonly<Record<Call["kind"], readonly Fate[]>> = {
  read: ["fail"],
  write: ["fail", "lost"],
  "conditional-put": ["fail", "lost", "repeat"],
};

const historyOf = numbering();

class Died extends Error {}

/** One invocation, which waits before every call until the schedule lets the call happen. */
export class Actor<A> {
  readonly name: string;
  readonly begin: () => Promise<A>;
  /** Set once it ended by itself. */
  answer: A | undefined;
  isDead = false;
  #begun = false;
  #history = -1;
  #waiting: { call: Call; decide: (fate: Fate) => void; die: () => void }[] = [];
  #wake: () => void = () => {};

  constructor(name: string, begin: () => Promise<A>) {
    this.name = name;
    this.begin = begin;
  }

  get isOver(): boolean {
    return this.isDead || this.answer !== undefined;
  }

  get isBegun(): boolean {
    return this.#begun;
  }

  /** Where it stands: all that it was told until here. */
  get history(): number {
    return this.#history;
  }

  /** The next call's ways to go wrong. */
  get mishaps(): readonly string[] {
    const [next] = this.#waiting;
    return next === undefined ? [] : ["die", ...fates[next.call.kind]];
  }

  /** Every call of this invocation goes through here. */
  async step<T>(call: Call, effect: () => Promise<T>): Promise<T> {
    if (this.isDead) throw new Died();
    const fate = await new Promise<Fate>((decide, reject) => {
      this.#waiting.push({ call, decide, die: () => reject(new Died()) });
      this.#wake();
    });
    const note = (what: unknown) => {
      this.#history = historyOf(`${this.#history} ${call.name} ${what}`);
    };
    if (fate === "fail") {
      note(fate);
      throw call.failure();
    }
    try {
      const answer = await effect();
      if (fate === "lost") throw call.failure();
      const told = fate === "repeat" ? (call.repeated as T) : answer;
      note(JSON.stringify(told) ?? "");
      return told;
    } catch (error) {
      note(String(error));
      throw error;
    }
  }

  /** Lets the next call happen, and the invocation go on until the call after it or its end. */
  async move(fate: string): Promise<void> {
    if (!this.#begun) await this.#start();
    if (fate === "die") return this.die();
    const next = this.#waiting.shift();
    if (next === undefined) return;
    next.decide(fate as Fate);
    await this.#quiet();
  }

  die(): void {
    this.isDead = true;
    for (const { die } of this.#waiting.splice(0)) die();
    this.#wake();
  }

  async #start(): Promise<void> {
    this.#begun = true;
    void this.begin().then(
      (answer) => this.#end(answer),
      (error: unknown) => this.#end({ failed: String(error) } as A),
    );
    await this.#quiet();
  }

  #end(answer: A): void {
    if (!this.isDead) this.answer = answer;
    this.#wake();
  }

  async #quiet(): Promise<void> {
    while (this.#waiting.length === 0 && !this.isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
