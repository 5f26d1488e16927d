import { Refusal } from "./refusal.ts";

/** The one capacity token: no overlap on rotation, and without one every request is refused (contract). */
export class Credential {
  #token: string | undefined;
  readonly #onRotation = new Set<() => void>();

  constructor(token: string | undefined) {
    this.#token = token;
  }

  /** All replicas are replaced at once: their open streams end with them. */
  rotate(token: string | undefined): void {
    this.#token = token;
    for (const listener of [...this.#onRotation]) listener();
  }

  onRotation(listener: () => void): () => void {
    this.#onRotation.add(listener);
    return () => this.#onRotation.delete(listener);
  }

  /** Throws 401 unauthorized for anything but `Bearer` and the token. */
  check(authorization: string | undefined): void {
    if (this.#token === undefined || authorization !== `Bearer ${this.#token}`) {
      throw new Refusal(401, "the capacity credential is missing or not accepted");
    }
  }
}
