/** `guess`: one weak sign. `likely`: what was seen has few other explanations. `certain`: seen twice, in different ways. */
export type Confidence = 'certain' | 'likely' | 'guess' | 'unknown';

/** What was found, in words, with how sure it is and why. */
export interface Found<T> {
  /** Null: unknown. */
  readonly finding: T | null;
  readonly words: string;
  readonly confidence: Confidence;
  /** One sentence; never a token, never what a message says. */
  readonly evidence: string;
}

export const unknown = (evidence: string): Found<never> => ({
  finding: null,
  words: 'unknown',
  confidence: 'unknown',
  evidence,
});
