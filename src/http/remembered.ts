/** Anybody can send any text, so only a few short ones are kept. */
const MAX_TEXTS = 64;
/** Unit: characters. */
const MAX_LENGTH = 256;

/**
 * Makes a reader of header values remember its results, because nearly every request has one of a few values. When there
 * are too many, all are forgotten, so that an attacker cannot keep the usual ones out for long.
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
