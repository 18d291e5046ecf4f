/** One finding about the service. */
export interface Found<T> {
  /** Null: unknown. */
  readonly finding: T | null;
  /** The finding, for a person. */
  readonly words: string;
  readonly confidence: Confidence;
  /** One sentence; never contains a token or the text of a message. */
  readonly evidence: string;
}

/** `guess`: one weak sign. `likely`: few other explanations. `certain`: seen twice, in different ways. */
export type Confidence = 'certain' | 'likely' | 'guess' | 'unknown';

export const unknown = (evidence: string): Found<never> => ({
  finding: null,
  words: 'unknown',
  confidence: 'unknown',
  evidence,
});
