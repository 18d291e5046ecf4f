import { CONVERSATIONS, MESSAGES } from '../messaging/probed.ts';
import { isObject, type WireObject } from '../rest/decode.ts';
import { keyPaths, type Seen } from './fields.ts';
import { type Found, unknown } from './found.ts';
import type { JsonResponse } from './session.ts';

const ONLY_WRITING = 'only a write would show it, and the probe does not write';
const A_WRITE_WOULD_SHOW = 'only a write would show';
/** Unit: characters. */
const MAX_NAME_LENGTH = 30;
const MAX_NAMES = 12;
/** With fewer attachments, it is a guess that others have the same fields. */
const MIN_LIKELY = 5;
const MAX_DEPTH = 6;
/** The most key paths in a finding's words. */
const MAX_SHOWN = 8;
const VERSION_HEADER = /deprecat|sunset|api-version/;

/** The open points about fields of the service's objects, and those that reads cannot settle, with what reads show. */
export function describeNouns(seen: readonly Seen[], responses: readonly JsonResponse[]) {
  const messages = itemsOf(seen, MESSAGES);
  const conversations = itemsOf(seen, CONVERSATIONS);
  const groups = new Set(conversations.flatMap(({ group_id: id }) => id ?? []));
  return {
    1: unknown(`${describeNames(messages)}; ${A_WRITE_WOULD_SHOW} what else is allowed`),
    2: findAttachments(messages),
    3: unknown(
      `the interface has no endpoint for groups; ${groups.size} group ids were seen`,
    ),
    5: unknown(ONLY_WRITING),
    7: unknown(ONLY_WRITING),
    10: unknown(ONLY_WRITING),
    11: unknown(ONLY_WRITING),
    12: unknown(ONLY_WRITING),
    13: unknown('reads do not show how long a token is valid, or where it comes from'),
    14: unknown('the interface has no events to read'),
    18: unknown(`${describeSizes(messages)}; ${A_WRITE_WOULD_SHOW} the limit`),
    19: unknown(describeVersions(responses)),
  };
}

const itemsOf = (seen: readonly Seen[], list: Seen['list']): readonly WireObject[] =>
  seen.find((one) => one.list === list)?.items ?? [];

/** Open point: attachment fields. Shows their key paths and JSON types, never their values. */
function findAttachments(messages: readonly WireObject[]): Found<readonly string[]> {
  const attachments = messages.flatMap(({ attachments: list }) =>
    Array.isArray(list) ? list : [],
  );
  if (attachments.length === 0) {
    return unknown(`none of ${messages.length} messages seen has an attachment`);
  }
  const options = { depth: MAX_DEPTH, intoArrays: true };
  const paths = attachments.flatMap((attachment) => keyPaths(attachment, options));
  const finding = [...new Set(paths)].sort();
  const more = finding.length - MAX_SHOWN;
  return {
    finding,
    words: `${finding.slice(0, MAX_SHOWN).join(', ')}${more > 0 ? `, and ${more} more` : ''}`,
    confidence: attachments.length < MIN_LIKELY ? 'guess' : 'likely',
    evidence: `seen in ${attachments.length} attachments of ${messages.length} messages`,
  };
}

function describeNames(messages: readonly WireObject[]): string {
  const names = new Set(
    messages
      .flatMap(({ reactions }) => (Array.isArray(reactions) ? reactions : []))
      .filter(isObject)
      .flatMap((reaction) => Object.keys(reaction)),
  );
  if (names.size === 0) return 'no reaction was seen';
  const shown = [...names].slice(0, MAX_NAMES).map(toPrintable);
  return `seen: ${shown.join(', ')}${names.size > MAX_NAMES ? ' and others' : ''}`;
}

/** The service chooses the name, so control characters, which could steer a terminal, are removed. */
const toPrintable = (name: string): string =>
  Array.from(name.replace(/\p{Cc}/gu, ''))
    .slice(0, MAX_NAME_LENGTH)
    .join('');

function describeSizes(messages: readonly WireObject[]): string {
  const lengths = messages.map(({ message }) =>
    typeof message === 'string' ? Array.from(message).length : 0,
  );
  const counts = messages.map(({ attachments }) =>
    Array.isArray(attachments) ? attachments.length : 0,
  );
  const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), 0);
  return `longest message seen: ${most(lengths)} characters; most attachments seen: ${most(counts)}`;
}

function describeVersions(responses: readonly JsonResponse[]): string {
  const names = responses.flatMap(({ headers }) =>
    Object.keys(headers).filter((name) => VERSION_HEADER.test(name)),
  );
  return names.length === 0
    ? 'no header mentions a version'
    : `headers that mention a version: ${[...new Set(names)].join(', ')}`;
}
