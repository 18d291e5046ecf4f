/** As many as graphql reports by itself. */
const MAX_ERRORS = 50;
/** Variables with more than this are reported with one error. Unit: values and, for texts, characters. */
const MAX_SHORT = 2000;

/**
 * How many errors of variables may be reported. Each error quotes the value that does not fit, up to all of it: fifty
 * errors of a megabyte would quote fifty megabytes.
 */
export const maxVariableErrors = (variables: unknown): number =>
  spendOn(variables, MAX_SHORT) < 0 ? 1 : MAX_ERRORS;

/** What a value leaves of `left`; stops as soon as that is negative. */
function spendOn(value: unknown, left: number): number {
  if (typeof value === 'string') return left - value.length;
  if (typeof value !== 'object' || value === null) return left - 1;
  let rest = left - 1;
  // `for in` reads the keys one by one, so that it ends early in an object of thousands.
  for (const key in value) {
    if (rest < 0) break;
    rest = spendOn((value as Record<string, unknown>)[key], rest - key.length);
  }
  return rest;
}
