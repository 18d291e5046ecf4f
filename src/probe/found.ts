/** What a probe has found out about one open point. */
export interface Found<T = unknown> {
  /** Null: unknown. */
  readonly finding: T | null;
  /** The finding, for a person. */
  readonly words: string;
  /** `guess`: one weak sign. `likely`: few other explanations. `certain`: seen twice, in different ways. */
  readonly confidence: 'certain' | 'likely' | 'guess' | 'unknown';
  /** One sentence; never contains a token or the text of a message. */
  readonly evidence: string;
}

export const unknown = (evidence: string): Found<never> => ({
  finding: null,
  words: 'unknown',
  confidence: 'unknown',
  evidence,
});

/** Joins the parts of a sentence, without those that say nothing. */
export const joinParts = (...parts: readonly unknown[]): string =>
  parts.filter(Boolean).join('; ');

/** One statement about a set-up. */
export interface Finding {
  readonly subject: 'settings' | 'service' | 'token' | 'learned';
  readonly words: string;
  /** What to change, in one sentence or two; null if nothing must be changed. After a value at its end, it has no period. */
  readonly fix: string | null;
  /** True if no answer showed whether this fits. */
  readonly isOpen?: boolean;
}

export const ok = (words: string, subject: Finding['subject'] = 'learned'): Finding => ({
  subject,
  words,
  fix: null,
});
export const notJudged = (words: string): Finding => ({ ...ok(words), isOpen: true });

export const problem = (
  words: string,
  fix: string,
  subject: Finding['subject'] = 'service',
): Finding => ({ subject, words, fix });
