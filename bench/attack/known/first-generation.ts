import type { Genome } from '../genome/genome.ts';
import { ANSWERS } from './answers.ts';
import { DOCUMENTS } from './documents.ts';
import { FORMS } from './forms.ts';

const written = [...DOCUMENTS, ...ANSWERS, ...FORMS];

const compressed = written.map(
  (one): Genome => ({
    ...one,
    name: `${one.name}-gzip`,
    transport: { ...one.transport, encoding: 'gzip' },
  }),
);

/** Requests that once stopped the gateway, or might have, from which the search begins. Also compressed. */
export const FIRST_GENERATION: readonly Genome[] = [...written, ...compressed];
