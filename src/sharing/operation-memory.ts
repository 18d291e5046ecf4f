/** The persisted operations that this process keeps: texts by their hash, the least recently used dropped first. */
export interface OperationMemory {
  get(hash: string): string | undefined;
  set(hash: string, text: string): void;
}

/** Together. As much as Apollo Server keeps by itself. Unit: characters. */
const MAX_CHARACTERS = 15_728_640;
/** What an entry takes beside its text. Unit: characters. */
const ENTRY = 256;

export function createOperationMemory(): OperationMemory {
  /** The least recently used first. */
  const texts = new Map<string, string>();
  let length = 0;

  function drop(hash: string): void {
    const text = texts.get(hash);
    if (text === undefined) return;
    texts.delete(hash);
    length -= text.length + ENTRY;
  }

  return {
    get(hash) {
      const text = texts.get(hash);
      if (text === undefined) return undefined;
      texts.delete(hash);
      texts.set(hash, text);
      return text;
    },
    set(hash, text) {
      drop(hash);
      texts.set(hash, text);
      length += text.length + ENTRY;
      for (const oldest of texts.keys()) {
        if (length <= MAX_CHARACTERS) break;
        drop(oldest);
      }
    },
  };
}
