/** The bytes that the running operations hold: all, and those of each caller. */
export class Holdings {
  readonly #inAll: number;
  readonly #oneCaller: number;
  #held = 0;
  /** By share, see CallerId. Only of callers that hold something. */
  readonly #heldBy = new Map<string, number>();

  /** How many bytes all may hold together, and how many each caller. */
  constructor({ inAll, oneCaller }: { inAll: number; oneCaller: number }) {
    this.#inAll = inAll;
    this.#oneCaller = oneCaller;
  }

  /** Returns false if there is no room. */
  take(share: string, bytes: number): boolean {
    const own = (this.#heldBy.get(share) ?? 0) + bytes;
    if (this.#held + bytes > this.#inAll || own > this.#oneCaller) return false;
    this.#held += bytes;
    this.#heldBy.set(share, own);
    return true;
  }

  letGo(share: string, bytes: number): void {
    if (bytes === 0) return;
    this.#held -= bytes;
    const own = (this.#heldBy.get(share) ?? 0) - bytes;
    if (own > 0) this.#heldBy.set(share, own);
    else this.#heldBy.delete(share);
  }
}
