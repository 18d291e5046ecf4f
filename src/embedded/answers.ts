interface WordReader<T> {
  /** The accepted words, for error messages. */
  takes: string;
  /** Returns `undefined` for a word that is not accepted. */
  read(word: string): T | undefined;
}

/** One choice: its default, and how it is read from the command line. */
type Option<T> = WordReader<T> & { default: T };

/** Accepts one of `values`; the first is the default. */
const oneOf = <const T extends readonly [string | number, ...(string | number)[]]>(
  ...values: T
): Option<T[number]> => ({
  default: values[0],
  takes: values.join(', '),
  read: (word) => values.find((value) => String(value) === word),
});

/** Accepts `none`, which is the default and reads as `null`, and what `reader` accepts. */
const noneOr = <T>({ takes, read }: WordReader<T>): Option<T | null> => ({
  default: null,
  takes: `none, ${takes}`,
  read: (word) => (word === 'none' ? null : read(word)),
});

const successStatus = (takes: string, pattern: RegExp): Option<number> => ({
  default: 200,
  takes,
  read: (word) => (pattern.test(word) ? Number(word) : undefined),
});
const anySuccess = successStatus('200 to 299', /^2\d\d$/);
const successWithBody = successStatus(
  '200 to 299, except 204 and 205',
  /^2(?!0[45])\d\d$/,
);

/** A number from 0, which is the default, up to `most`. */
const upTo = (most: number): Option<number> => ({
  default: 0,
  takes: `a whole number from 0 to ${most}`,
  read: (word) =>
    /^\d{1,15}$/.test(word) && Number(word) <= most ? Number(word) : undefined,
});

const count: WordReader<number> = {
  takes: 'a whole number from 1',
  read: (word) => (/^[1-9]\d{0,14}$/.test(word) ? Number(word) : undefined),
};

const LIST_PARAMS = /^(limit|conversation_id|muted|archived|pinned|group_id)$/;
const newParam: WordReader<string> = {
  takes: 'a parameter name that the lists do not use yet',
  read: (word) => (/^[\w.-]+$/.test(word) && !LIST_PARAMS.test(word) ? word : undefined),
};

const names: WordReader<readonly string[]> = {
  takes: 'names separated by commas',
  read: (word) => (word.split(',').includes('') ? undefined : word.split(',')),
};

/**
 * The choices that fill the gaps of the interface text, and two about the network. The default is the first value of `oneOf`,
 * `none` for `noneOr`, and 200 for a success status.
 *
 * The numbers are those in `docs/open-points.md`. For those that are missing here there is no choice.
 */
const OPTIONS = {
  /** 1. Reaction names that an update may use; others get 400. `none`: every name is allowed. */
  reactionNames: noneOr(names),
  /** 2. Shape of the sample attachments: objects in objects, one level, or only a `type`. */
  attachments: oneOf('nested', 'flat', 'bare'),
  /** 4. Unit of every timestamp; the epoch is 1970. */
  timestampUnit: oneOf('seconds', 'milliseconds', 'microseconds'),
  /** 5. `frozen`: an archived conversation answers 409 to messages and updates until it is restored. */
  archived: oneOf('open', 'frozen'),
  /** 6. Status of lists and retrievals. */
  readStatus: successWithBody,
  /** 6. Status of sending and creating. */
  createStatus: successWithBody,
  /** 6. Status of updates. */
  updateStatus: successWithBody,
  /** 6. Status of deletes; 204 and 205 have no body. */
  deleteStatus: anySuccess,
  /** 7. Body of a delete: `{ "deleted": true }`, the deleted object, text, or nothing. */
  deleteBody: oneOf('flag', 'object', 'text', 'empty'),
  /** 8. Parameter for the next page; `page` counts from 1. */
  paging: oneOf('none', 'starting_after', 'offset', 'page'),
  /** 8. Another name for that parameter. `none`: the name is the value of `paging`. */
  pagingParam: noneOr(newParam),
  /** 8. Another name for `ending_before`, which pages backward under `starting_after`. */
  pagingBackParam: noneOr(newParam),
  /** 8. Answer to a cursor that is not in the list: a status, an empty page, or the first page. */
  unknownCursor: oneOf(400, 404, 'empty', 'first'),
  /** 9. Order of both lists: newest first, oldest first, or ascending by id. */
  order: oneOf('newest', 'oldest', 'id'),
  /** 10. Usernames in an update replace those of the same reaction name, or are added to them. */
  reactions: oneOf('replace', 'add'),
  /** 11. JSON request bodies: refused with 415, or read like a form. */
  jsonBodies: oneOf('refuse', 'accept'),
  /** 12. A new conversation with both ids: keeps the group only, is refused with 400, or keeps both. */
  bothIds: oneOf('group', 'refuse', 'both'),
  /** 15. Body of an error: `{ error: { code, message } }`, JSON by RFC 9457, text, HTML, or nothing. */
  errorFormat: oneOf('json', 'problem', 'text', 'html', 'empty'),
  /** 15. Status for an unknown id. */
  unknownId: oneOf(404, 410, 400),
  /** 16. Maximum `limit`, in items. */
  maxLimit: noneOr(count),
  /** 16. A `limit` above the maximum is capped silently, or refused with this status. */
  aboveMaxLimit: oneOf('cap', 400, 422),
  /** 17. Calls per second and token; further calls get 429. */
  rateLimit: noneOr(count),
  /** 17. `Retry-After` of a 429: in seconds, as a date, or left out. */
  retryAfter: oneOf('seconds', 'date', 'none'),
  /** 18. Maximum length of a message, in code points. */
  maxMessageLength: noneOr(count),
  /** 18. Maximum number of attachments of one message. */
  maxAttachments: noneOr(count),
  /** 18. Status for a message above one of those two limits. */
  oversizeStatus: oneOf(400, 422),
  /** How long each answer takes. Unit: milliseconds. */
  latency: upTo(60_000),
  /** How many of a hundred calls are answered 503, without effect. */
  failures: upTo(100),
};

/** How the embedded service fills the gaps of the interface text; `null` is the word `none`. */
export type Answers = {
  [Name in keyof typeof OPTIONS]: (typeof OPTIONS)[Name]['default'];
};

/** The most plausible answer to each gap. */
export const DEFAULT_ANSWERS = Object.fromEntries(
  Object.entries(OPTIONS).map(([name, option]) => [name, option.default]),
) as Answers;

/**
 * Reads answers from command-line words such as `order=oldest maxLimit=50`.
 * Throws one Error with a line for each problem, in which `quote` writes the word.
 */
export function parseAnswers(
  words: readonly string[],
  quote = (word: string) => word,
): Answers {
  const given = new Map<string, unknown>();
  const problems: string[] = [];
  for (const word of words) {
    const [, name = word, text] = /^([^=]*)=(.*)$/s.exec(word) ?? [];
    const option = Object.hasOwn(OPTIONS, name)
      ? OPTIONS[name as keyof Answers]
      : undefined;
    const value = text === undefined ? undefined : option?.read(text);
    if (option === undefined) {
      problems.push(
        `${quote(word)}: unknown name; the names are ${Object.keys(OPTIONS).join(', ')}`,
      );
    } else if (value === undefined) {
      problems.push(`${quote(word)}: takes ${option.takes}`);
    } else if (given.has(name)) {
      problems.push(`${quote(word)}: ${name} is given twice`);
    } else {
      given.set(name, value);
    }
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return { ...DEFAULT_ANSWERS, ...Object.fromEntries(given) };
}
