/** The bytes that the running operations hold: all, and those of each caller. */
export class Holdings {
  readonly #inAll: number;
  readonly #oneCaller: number;
  #held = 0;
  /** Only of callers that hold something. */
  readonly #heldBy = new Map<string | null, number>();

  /** How many bytes all may hold together, and how many each caller. */
  constructor({ inAll, oneCaller }: { inAll: number; oneCaller: number }) {
    this.#inAll = inAll;
    this.#oneCaller = oneCaller;
  }

  /** Returns false if there is no room. */
  take(token: string | null, bytes: number): boolean {
    const own = (this.#heldBy.get(token) ?? 0) + bytes;
    if (this.#held + bytes > this.#inAll || own > this.#oneCaller) return false;
    this.#held += bytes;
    this.#heldBy.set(token, own);
    return true;
  }

  letGo(token: string | null, bytes: number): void {
    if (bytes === 0) return;
    this.#held -= bytes;
    const own = (this.#heldBy.get(token) ?? 0) - bytes;
    if (own > 0) this.#heldBy.set(token, own);
    else this.#heldBy.delete(token);
  }
}
