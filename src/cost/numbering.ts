/** Gives each distinct value a number. */
export type NumberValue = (value: unknown) => number;

/**
 * Numbers the ids and arguments of one operation, so that keys hold short numbers and not the texts: a client may
 * repeat a variable of a megabyte under hundreds of fields. A text that was seen is found again without reading it.
 */
export function createNumbering(): NumberValue {
  const numbers = new Map<unknown, number>();
  return (value) => {
    const known = numbers.get(value) ?? numbers.size;
    numbers.set(value, known);
    return known;
  };
}
