/**
 * How the embedded service fills the gaps of the interface text: one knob, or a few, per open point.
 *
 * The numbers are those of the list of open points. Three of them leave nothing to vary: 3 (a group
 * is its id and no more), 14 (no events exist) and 19 (`/v1` is the only version); tokens (13) are
 * opaque words that the two sample users have, and no knob changes them.
 */
export interface Answers {
  /** 1. The reaction names an update may use, others are refused with 400. `null` (default): any. */
  reactionNames: readonly string[] | null;
  /** 2. Attachments of the sample data: objects within objects (default), one level, or `type` alone. */
  attachments: 'nested' | 'flat' | 'bare';
  /** 4. Unit of every timestamp, counted from 1970. Default `seconds`. */
  timestampUnit: 'seconds' | 'milliseconds' | 'microseconds';
  /** 5. `frozen`: sending to, or updating, an archived conversation is 409 until it is brought back. Default `open`. */
  archived: 'open' | 'frozen';
  /** 6. Status of lists and retrievals. Default 200. */
  readStatus: number;
  /** 6. Status of sending and creating. Default 200. */
  createStatus: number;
  /** 6. Status of updates. Default 200. */
  updateStatus: number;
  /** 6. Status of deletes; 204 and 205 leave the body out. Default 200. */
  deleteStatus: number;
  /** 7. Body of a delete: `{ "deleted": true }` (default, `flag`), the deleted object, text, or empty. */
  deleteBody: 'flag' | 'object' | 'text' | 'empty';
  /** 8. The parameter for the next page. Default `none`; `page` counts from 1. */
  paging: 'none' | 'starting_after' | 'offset' | 'page';
  /** 8. Another name for that parameter. `null` (default): the same as `paging` says. */
  pagingParam: string | null;
  /** 8. Another name for the parameter that pages back under `starting_after`. `null`: `ending_before`. */
  pagingBackParam: string | null;
  /** 8. What a cursor that is not in the list gets: a status (default 400), an empty page, the first page. */
  unknownCursor: 400 | 404 | 'empty' | 'first';
  /** 9. Order of both lists: `newest` first (default), `oldest` first, or ascending by id. */
  order: 'newest' | 'oldest' | 'id';
  /** 10. Usernames sent for a reaction name `replace` the ones there (default), or `add` to them. */
  reactions: 'replace' | 'add';
  /** 11. JSON request bodies: 415 (default), or read as if they were a form. */
  jsonBodies: 'refuse' | 'accept';
  /** 12. Both ids on creation: the group wins (default), 400, or both are stored. */
  bothIds: 'group' | 'refuse' | 'both';
  /** 15. Body of an error: JSON `{ error: { code, message } }` (default), JSON as RFC 9457 has it, text, HTML, empty. */
  errorFormat: 'json' | 'problem' | 'text' | 'html' | 'empty';
  /** 15. Status for an id nobody knows. Default 404. */
  unknownId: 404 | 410 | 400;
  /** 16. Greatest `limit`, in items. `null` (default): none. */
  maxLimit: number | null;
  /** 16. A `limit` above it is silently capped (default) or refused with that status. */
  aboveMaxLimit: 'cap' | 400 | 422;
  /** 17. Calls per token and second; more are 429. `null` (default): off. */
  rateLimit: number | null;
  /** 17. `Retry-After` of a 429: left out, in seconds (default), or a date. */
  retryAfter: 'none' | 'seconds' | 'date';
  /** 18. Longest message, in characters (code points). `null` (default): any. */
  maxMessageLength: number | null;
  /** 18. Most attachments of one message. `null` (default): any. */
  maxAttachments: number | null;
  /** 18. Status for more than those two allow. Default 400. */
  oversizeStatus: 400 | 422;
}

/** The documented interface with the most plausible answer to each gap. */
export const DEFAULT_ANSWERS: Answers = {
  reactionNames: null,
  attachments: 'nested',
  timestampUnit: 'seconds',
  archived: 'open',
  readStatus: 200,
  createStatus: 200,
  updateStatus: 200,
  deleteStatus: 200,
  deleteBody: 'flag',
  paging: 'none',
  pagingParam: null,
  pagingBackParam: null,
  unknownCursor: 400,
  order: 'newest',
  reactions: 'replace',
  jsonBodies: 'refuse',
  bothIds: 'group',
  errorFormat: 'json',
  unknownId: 404,
  maxLimit: null,
  aboveMaxLimit: 'cap',
  rateLimit: null,
  retryAfter: 'seconds',
  maxMessageLength: null,
  maxAttachments: null,
  oversizeStatus: 400,
};

/** How one knob is written as a word; `read` gives `undefined` for what it does not take. */
interface Knob<T> {
  takes: string;
  read(word: string): T | undefined;
}

const oneOf = <const T extends readonly (string | number)[]>(
  ...values: T
): Knob<T[number]> => ({
  takes: values.join(', '),
  read: (word) => values.find((value) => String(value) === word),
});

const orNone = <T>({ takes, read }: Knob<T>): Knob<T | null> => ({
  takes: `none, ${takes}`,
  read: (word) => (word === 'none' ? null : read(word)),
});

const count: Knob<number> = {
  takes: 'a whole number from 1',
  read: (word) => (/^[1-9]\d{0,14}$/.test(word) ? Number(word) : undefined),
};

const success = (takes: string, bodyless: readonly string[]): Knob<number> => ({
  takes,
  read: (word) =>
    /^2\d\d$/.test(word) && !bodyless.includes(word) ? Number(word) : undefined,
});
const anySuccess = success('200 to 299', []);
const successWithBody = success('200 to 299, but 204 and 205', ['204', '205']);

const TAKEN_PARAMS = [
  'limit',
  'conversation_id',
  'muted',
  'archived',
  'pinned',
  'group_id',
];
const paramName: Knob<string> = {
  takes: 'a parameter name the lists do not have yet',
  read: (word) =>
    /^[\w.-]+$/.test(word) && !TAKEN_PARAMS.includes(word) ? word : undefined,
};

const names: Knob<readonly string[]> = {
  takes: 'names with commas between',
  read: (word) => (word.split(',').includes('') ? undefined : word.split(',')),
};

const KNOBS: { [Name in keyof Answers]: Knob<Answers[Name]> } = {
  reactionNames: orNone(names),
  attachments: oneOf('nested', 'flat', 'bare'),
  timestampUnit: oneOf('seconds', 'milliseconds', 'microseconds'),
  archived: oneOf('open', 'frozen'),
  readStatus: successWithBody,
  createStatus: successWithBody,
  updateStatus: successWithBody,
  deleteStatus: anySuccess,
  deleteBody: oneOf('flag', 'object', 'text', 'empty'),
  paging: oneOf('none', 'starting_after', 'offset', 'page'),
  pagingParam: orNone(paramName),
  pagingBackParam: orNone(paramName),
  unknownCursor: oneOf(400, 404, 'empty', 'first'),
  order: oneOf('newest', 'oldest', 'id'),
  reactions: oneOf('replace', 'add'),
  jsonBodies: oneOf('refuse', 'accept'),
  bothIds: oneOf('group', 'refuse', 'both'),
  errorFormat: oneOf('json', 'problem', 'text', 'html', 'empty'),
  unknownId: oneOf(404, 410, 400),
  maxLimit: orNone(count),
  aboveMaxLimit: oneOf('cap', 400, 422),
  rateLimit: orNone(count),
  retryAfter: oneOf('none', 'seconds', 'date'),
  maxMessageLength: orNone(count),
  maxAttachments: orNone(count),
  oversizeStatus: oneOf(400, 422),
};

/**
 * Reads answers as they are given on a command line: `order=oldest maxLimit=50`.
 * Throws one Error that names every problem, a line each.
 */
export function parseAnswers(pairs: readonly string[]): Answers {
  const given: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const pair of pairs) {
    const [, name = pair, word] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    const knob = Object.hasOwn(KNOBS, name) ? KNOBS[name as keyof Answers] : undefined;
    const value = word === undefined ? undefined : knob?.read(word);
    if (knob === undefined) {
      problems.push(
        `${pair}: no such answer; there are ${Object.keys(KNOBS).join(', ')}`,
      );
    } else if (value === undefined) {
      problems.push(`${pair}: takes ${knob.takes}`);
    } else if (Object.hasOwn(given, name)) {
      problems.push(`${pair}: ${name} is given twice`);
    } else {
      given[name] = value;
    }
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  // Every value came out of the knob of its own name.
  return { ...DEFAULT_ANSWERS, ...(given as Partial<Answers>) };
}
