import { MESSAGES } from '../messaging/probed.ts';
import { isObject, type WireObject } from '../rest/decode.ts';
import { keyPaths, type SeenItems } from './fields.ts';
import { type Found, unknown } from './found.ts';

/** Of reactions. */
const MAX_NAMES = 12;
/** The most key paths in a finding's words. */
const MAX_SHOWN = 8;

/** The open points about the fields of messages and conversations, with what reads show. */
export function describeNouns(seen: readonly SeenItems[]) {
  const messages = seen.find(({ list }) => list === MESSAGES)?.items ?? [];
  const lengths = messages.map(({ message }) =>
    typeof message === 'string' ? Array.from(message).length : 0,
  );
  const counts = messages.map(({ attachments }) => toList(attachments).length);
  return {
    1: unknown(
      `${describeNames(messages)}; only a write would show what else is allowed`,
    ),
    2: findAttachments(messages),
    3: unknown('the probe reads messages and conversations only'),
    18: unknown(
      `longest message seen: ${largest(lengths)} characters; most attachments seen: ${largest(counts)}; only a write would show the limit`,
    ),
  };
}

const toList = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : [];

const largest = (values: readonly number[]): number =>
  values.reduce((one, other) => Math.max(one, other), 0);

/** Open point: attachment fields. Shows their key paths and JSON types, never their values. */
function findAttachments(messages: readonly WireObject[]): Found {
  const attachments = messages.flatMap((message) => toList(message.attachments));
  if (attachments.length === 0) {
    return unknown(`none of ${messages.length} messages seen has an attachment`);
  }
  const paths = attachments.flatMap((one) => keyPaths(one, 6, { intoArrays: true }));
  const finding = [...new Set(paths)].sort();
  const more = finding.length - MAX_SHOWN;
  return {
    finding,
    words: `${finding.slice(0, MAX_SHOWN).join(', ')}${more > 0 ? `, and ${more} more` : ''}`,
    // With few attachments, it is a guess that others have the same fields.
    confidence: attachments.length < 5 ? 'guess' : 'likely',
    evidence: `seen in ${attachments.length} attachments of ${messages.length} messages`,
  };
}

function describeNames(messages: readonly WireObject[]): string {
  const reactions = messages.flatMap((message) => toList(message.reactions));
  const names = [...new Set(reactions.filter(isObject).flatMap(Object.keys))];
  if (names.length === 0) return 'no reaction was seen';
  const shown = names.slice(0, MAX_NAMES).map(toPrintable).join(', ');
  return `seen: ${shown}${names.length > MAX_NAMES ? ' and others' : ''}`;
}

/** The service chooses the name, so control characters, which could steer a terminal, are removed. */
const toPrintable = (name: string): string =>
  Array.from(name.replace(/\p{Cc}/gu, ''))
    .slice(0, 30)
    .join('');
