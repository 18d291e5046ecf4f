/** Small parts are copied together into blocks of this size. Unit: bytes. */
const BLOCK_BYTES = 65_536;

const utf8 = new TextDecoder();

/**
 * The body of an answer, collected as it arrives. Each part costs a hundred bytes more than its content, and retains the whole
 * buffer it is a slice of: an answer of 3 MB that comes byte by byte would take 500 MB. So a part that is less than half of its
 * buffer is copied.
 */
export class Body {
  #parts: Buffer[] = [];
  /** The last block, which is not full; null if there is none. */
  #block: Buffer | null = null;
  #used = 0;

  add(part: Buffer): void {
    // Most answers arrive in one part.
    const isFirst = this.#parts.length === 0 && this.#block === null;
    if (isFirst || part.length * 2 >= part.buffer.byteLength) {
      this.#endBlock();
      this.#parts.push(part);
      return;
    }
    for (let done = 0; done < part.length; ) {
      this.#block ??= Buffer.allocUnsafeSlow(BLOCK_BYTES);
      const copied = part.copy(this.#block, this.#used, done);
      done += copied;
      this.#used += copied;
      if (this.#used === BLOCK_BYTES) this.#endBlock();
    }
  }

  /** All that was added. */
  *parts(): Iterable<Buffer> {
    yield* this.#parts;
    if (this.#block !== null) yield this.#block.subarray(0, this.#used);
  }

  /** The whole text; the body is empty after that. */
  takeText(): string {
    this.#endBlock();
    const parts = this.#parts;
    this.#parts = [];
    const [first] = parts;
    return utf8.decode(
      parts.length === 1 && first !== undefined ? first : Buffer.concat(parts),
    );
  }

  #endBlock(): void {
    if (this.#block === null) return;
    this.#parts.push(this.#block.subarray(0, this.#used));
    this.#block = null;
    this.#used = 0;
  }
}
