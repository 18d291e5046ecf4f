import { path } from '../rest/path.ts';
import type { RawClient } from '../rest/raw.ts';
import type { Asker, Note, Question } from './asker.ts';
import { isSuccess } from './asker.ts';
import { kindOf, toKeyName } from './fields.ts';
import { type Found, unknown } from './found.ts';
import { isObject, MESSAGES } from './list.ts';
import { strangerTo } from './unknown-id.ts';

type ErrorFormat = 'json' | 'problem' | 'text' | 'html' | 'empty';

/** Open point 15. Statuses are null where there was no answer. */
export interface RefusalFinding {
  /** `mixed`: not the same for every refusal. */
  readonly format: ErrorFormat | 'mixed';
  /** Key paths of a JSON error with their types, `error.code: string`. */
  readonly shape: readonly string[];
  readonly unknownMessage: number | null;
  readonly unknownConversation: number | null;
  readonly badToken: number | null;
}

/** Ids nobody has, and the token of a stranger: one call each. */
export type Refusals = Pick<
  RefusalFinding,
  'unknownMessage' | 'unknownConversation' | 'badToken'
>;

/** Asks for what nobody has, and as somebody nobody knows. */
export async function provokeRefusals(
  asker: Asker,
  known: { messages: readonly string[]; conversations: readonly string[] },
  stranger: RawClient,
): Promise<Refusals> {
  const askStatus = async (question: Question): Promise<number | null> =>
    (await asker.ask(question))?.status ?? null;
  return {
    unknownMessage: await askStatus({
      purpose: 'a message nobody has',
      path: path`/messages/${strangerTo(known.messages)}`,
    }),
    unknownConversation: await askStatus({
      purpose: 'a conversation nobody has',
      path: path`/conversations/${strangerTo(known.conversations)}`,
    }),
    badToken: await askStatus({
      purpose: 'with a token nobody has',
      path: MESSAGES.path,
      query: { limit: 1 },
      client: stranger,
    }),
  };
}

/** Reads the format off every refusal the probe met on its way. */
export function describeRefusals(
  statuses: Refusals,
  notes: readonly Note[],
): Found<RefusalFinding> {
  const errors = notes.filter(({ status }) => status >= 400 && status <= 499);
  const [sample] = errors;
  if (sample === undefined) return unknown('nothing that was asked for was refused');
  const formats = new Set(errors.map(formatOf));
  const [only = 'empty'] = formats;
  const format = formats.size === 1 ? only : 'mixed';
  const { unknownMessage, unknownConversation, badToken } = statuses;
  const ids =
    unknownMessage === unknownConversation
      ? `${unknownMessage ?? 'no answer'}`
      : `${unknownMessage ?? 'no answer'} (message), ${unknownConversation ?? 'no answer'} (conversation)`;
  const isWhole = ![unknownMessage, unknownConversation, badToken].includes(null);
  const shape = format === 'json' || format === 'problem' ? shapeOf(sample.json) : [];
  const formatWords = format === 'mixed' ? [...formats].join(' or ') : format;
  return {
    finding: { format, shape, ...statuses },
    words: `${formatWords}; unknown id ${ids}, bad token ${badToken ?? 'no answer'}`,
    confidence: isWhole && format !== 'mixed' ? 'certain' : 'likely',
    evidence: [
      `${errors.length} refusals were looked at`,
      ...(shape.length > 0 ? [`they hold ${shape.join(', ')}`] : []),
      ...[unknownMessage, unknownConversation].flatMap(toWarning).slice(0, 1),
    ].join('; '),
  };
}

/** The gateway reads 404 and 410 as "there is none". */
function toWarning(status: number | null): string[] {
  if (status === null || status === 404 || status === 410) return [];
  return [
    status < 400
      ? 'an id nobody should have was answered with success'
      : `the gateway shows an error for ${status} where 404 or 410 would be null`,
  ];
}

function formatOf({ text, headers, json }: Note): ErrorFormat {
  if (text.trim() === '') return 'empty';
  const type = `${headers['content-type'] ?? ''}`;
  if (json !== undefined) return type.includes('problem+json') ? 'problem' : 'json';
  return type.includes('html') || text.trimStart().startsWith('<') ? 'html' : 'text';
}

/** Key paths of an object, two levels deep. */
function shapeOf(json: unknown): string[] {
  if (!isObject(json)) return [`(itself): ${kindOf(json)}`];
  return Object.entries(json).flatMap(([key, value]) =>
    isObject(value)
      ? Object.entries(value).map(
          ([inner, leaf]) => `${toKeyName(key)}.${toKeyName(inner)}: ${kindOf(leaf)}`,
        )
      : [`${toKeyName(key)}: ${kindOf(value)}`],
  );
}

export const successStatuses = (notes: readonly Note[]): Found<readonly number[]> => {
  const finding = [...new Set(notes.filter(isSuccess).map(({ status }) => status))];
  if (finding.length === 0) return unknown('no call was answered with success');
  return {
    finding,
    words: `reads: ${finding.join(', ')}`,
    confidence: 'certain',
    evidence: `${notes.filter(isSuccess).length} reads succeeded; what writes answer only writing would show`,
  };
};
