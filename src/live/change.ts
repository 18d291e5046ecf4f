import type { RestDecodeError } from '../rest/errors.ts';

/** What happened to an item of a list that is watched. */
export interface Change<T> {
  readonly kind: 'CREATED' | 'UPDATED' | 'DELETED';
  readonly id: string;
  /** The item as it is now, or why it cannot be read; null when it was deleted. */
  readonly value: T | RestDecodeError | null;
  /** The length of the item as JSON, about. Unit: characters. */
  readonly size: number;
}
