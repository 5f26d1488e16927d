import type { SecretSource, SecretStage, SecretVersion } from "../../lib/edge/secret-source.ts";

/** A secret with its two stages, as a rotation moves them, and a count of the reads. */
export class SecretShelf implements SecretSource {
  readonly reads: SecretStage[] = [];
  readonly #versions = new Map<SecretStage, SecretVersion>();
  #failure: Error | undefined;

  /** Makes a new version current, and the current one previous. */
  rotate(value: string, createdAt: number): void {
    const before = this.#versions.get("AWSCURRENT");
    if (before !== undefined) this.#versions.set("AWSPREVIOUS", before);
    this.#versions.set("AWSCURRENT", { value, createdAt });
  }

  /** Every read fails from now on; undefined ends it. */
  fail(error: Error | undefined): void {
    this.#failure = error;
  }

  async read(stage: SecretStage): Promise<SecretVersion | undefined> {
    this.reads.push(stage);
    if (this.#failure !== undefined) throw this.#failure;
    return this.#versions.get(stage);
  }
}
