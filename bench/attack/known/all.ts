import type { Case } from '../case.ts';
import { ANSWERS } from './answers.ts';
import { DOCUMENTS } from './documents.ts';
import { FORMS } from './forms.ts';
import { SEQUENCES } from './sequences.ts';

const written = [...DOCUMENTS, ...ANSWERS, ...FORMS];

/** The search begins with these: requests that once stopped the gateway, or might have. Each is also sent compressed. */
export const KNOWN: readonly Case[] = [
  ...SEQUENCES,
  ...written,
  ...written.map(
    (one): Case => ({
      ...one,
      name: `${one.name}-gzip`,
      transport: { ...one.transport, encoding: 'gzip' },
    }),
  ),
];
