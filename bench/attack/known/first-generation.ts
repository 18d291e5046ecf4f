import type { Genome } from '../genome/genome.ts';
import { ANSWERS } from './answers.ts';
import { DOCUMENTS } from './documents.ts';
import { FORMS } from './forms.ts';
import { SEQUENCES } from './sequences.ts';

const written = [...DOCUMENTS, ...ANSWERS, ...FORMS];

const compressed = written.map(
  (one): Genome => ({
    ...one,
    name: `${one.name}-gzip`,
    transport: { ...one.transport, encoding: 'gzip' },
  }),
);

/** The search begins with these: requests that once stopped the gateway, or might have. Each is also sent compressed. */
export const FIRST_GENERATION: readonly Genome[] = [
  ...SEQUENCES,
  ...written,
  ...compressed,
];
