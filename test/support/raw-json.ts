/** What TypeScript's library does not have yet. */
const { parse, rawJSON } = JSON as unknown as {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source: string }) => unknown,
  ): unknown;
  rawJSON(text: string): object;
};

/** A number that `JSON.stringify` writes as it is given here. */
export const rawNumber = (text: string): object => rawJSON(text);

/** Parses JSON; every number stays as it is written. */
export const parseRaw = (text: string): unknown =>
  parse(text, (_key, value, { source }) =>
    typeof value === 'number' ? rawJSON(source) : value,
  );
