/** What stands in the place of a token. */
const REDACTED = '[redacted]';

/**
 * A function that takes a token out of a text, however it was written there: plain, JSON-escaped (`\"`, `\u0041`,
 * also twice) or percent-encoded (`%41`, also twice), and any mixture of these.
 */
export function createRedactor(token: string | null): (text: string) => string {
  if (token === null) return (text) => text;
  let pattern: RegExp | undefined; // made when the first error needs it
  return (text) => {
    pattern ??= new RegExp(Array.from(token, anyWriting).join(''), 'g');
    return text.replace(pattern, REDACTED);
  };
}

function anyWriting(character: string): string {
  const hex = character.charCodeAt(0).toString(16).padStart(2, '0');
  const anyCase = hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  return `(?:\\\\*\\x${hex}|%(?:25)*${anyCase}|\\\\+u00${anyCase})`;
}
