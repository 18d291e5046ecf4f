/** One statement of a check. */
export interface Finding {
  readonly subject: 'settings' | 'service' | 'token' | 'learned';
  readonly words: string;
  /** What to change, in one sentence or two; null if nothing must be changed. After a value at its end, it has no period. */
  readonly change: string | null;
}

export const fitting = (subject: Finding['subject'], words: string): Finding => ({
  subject,
  words,
  change: null,
});

export const unfit = (
  subject: Finding['subject'],
  words: string,
  change: string,
): Finding => ({ subject, words, change });
