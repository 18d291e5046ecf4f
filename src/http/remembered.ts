/** Clients and strangers choose the texts, so only a few short ones are kept. */
const MAX_TEXTS = 64;
/** Unit: characters. */
const MAX_LENGTH = 256;

/**
 * Makes a reader of header values remember what it read, because nearly every request has one of a few values. When too
 * many different ones have come, all are forgotten: a stranger cannot keep the usual ones out for long.
 */
export function remembered<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const seen = known.get(text);
    if (seen !== undefined || text.length > MAX_LENGTH) return seen ?? read(text);
    const fresh = read(text);
    if (known.size === MAX_TEXTS) known.clear();
    known.set(text, fresh);
    return fresh;
  };
}
