import type { Genome } from './genome.ts';
import { ANSWERS } from './known-answers.ts';
import { DOCUMENTS } from './known-documents.ts';
import { FORMS } from './known-forms.ts';

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
