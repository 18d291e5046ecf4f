import { CombinedGraphQLErrors, makeVar } from '@apollo/client';

/** What to tell people, by the code of an error. docs/errors.md lists all codes. */
const ADVICE: Readonly<Record<string, string>> = {
  UNAUTHENTICATED: 'You are signed out. Sign in again.',
  FORBIDDEN: 'You may not do this. Ask whoever started the conversation.',
  BAD_USER_INPUT: 'The service does not accept this. Change it, and try again.',
  NOT_FOUND: 'Somebody has deleted it. Go back to the inbox.',
  CONFLICT: 'Somebody has changed it meanwhile. Look at it, and decide again.',
  RATE_LIMITED: 'Too much at once. Try again in a moment.',
  OVERLOADED: 'The service is too busy. Try again in a moment.',
  PAGE_OUT_OF_REACH: 'Too much has changed. Read the list again.',
};
const NO_ANSWER = 'The service does not answer. Try again in a moment.';

export function toAdvice(error: unknown): string {
  const first = CombinedGraphQLErrors.is(error) ? error.errors[0] : undefined;
  if (first === undefined) return 'The chat cannot be reached. Check your network, and try again.';
  const { code, retryAfterSeconds } = first.extensions ?? {};
  const advice = ADVICE[String(code)] ?? NO_ANSWER;
  return retryAfterSeconds ? advice.replace('a moment', `${retryAfterSeconds} s`) : advice;
}

/** The error of the last mutation, which the page shows at its bottom. */
export const failure = makeVar<unknown>(undefined);
export const report = async (done: Promise<{ error?: unknown }>) => failure((await done).error);
