/** What TypeScript's library does not have yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): object };

/** A number that `JSON.stringify` writes as it is given here. */
export const rawNumber = (text: string): object => rawJSON(text);

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
const MARK = '\u{F8FF}number ';

/**
 * Parses JSON; every number stays as it is written. A reviver of V8 would get the text of each number, but sometimes gets none where an object
 * has a key twice.
 */
export function parseRaw(text: string): unknown {
  const marked = text.replace(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') ? token : `"${MARK}${token}"`,
  );
  return JSON.parse(marked, (_key, value) =>
    typeof value === 'string' && value.startsWith(MARK)
      ? rawJSON(value.slice(MARK.length))
      : value,
  );
}
