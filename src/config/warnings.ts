import { distance as editDistance } from 'fastest-levenshtein';
import { type Config, type Environment, toEnvironmentName } from '../config.ts';

/** Variables that the commands read besides the settings of the gateway. */
const OTHER_NAMES = ['NODE_ENV', 'MESSAGING_TOKEN'];
/** Shorter names of settings resemble too many variables of other programs. Unit: characters. */
const MIN_LENGTH = 6;
/** One in this many characters of a name may differ. */
const NAME_PER_EDIT = 5;
/** One in this many characters of each word may differ. */
const WORD_PER_EDIT = 3;

/** The paging styles under which a setting has an effect. */
const STYLES_OF_SETTING: Readonly<Record<string, readonly Config['paging'][]>> = {
  PAGING_PARAM: ['starting_after', 'offset', 'page'],
  PAGING_BACK_PARAM: ['starting_after'],
  PAGING_UNKNOWN_ID: ['starting_after'],
};

/** What is probably a mistake in the environment, though the gateway can start. Names settings, and never values. */
export const findWarnings = (env: Environment, config: Config): readonly string[] => [
  ...withoutEffect(env, config),
  ...misspelt(env, config),
];

function withoutEffect(env: Environment, { paging }: Config): string[] {
  const { TRUSTED_DOCUMENTS, TRUSTED_DOCUMENTS_MODE } = env;
  const warnings = Object.entries(STYLES_OF_SETTING)
    .filter(([name, styles]) => env[name] !== undefined && !styles.includes(paging))
    .map(
      ([name, styles]) =>
        `${name} has no effect with PAGING=${paging}: remove it, or set PAGING to ${toList(styles)}.`,
    );
  if (TRUSTED_DOCUMENTS_MODE !== undefined && TRUSTED_DOCUMENTS === undefined)
    warnings.push(
      'TRUSTED_DOCUMENTS_MODE has no effect without TRUSTED_DOCUMENTS: every document may run.',
    );
  return warnings;
}

/** It is made when it is needed, because Node takes 30 ms to load the rules of a language. */
const toList = (words: readonly string[]): string =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(words);

/** Node has many variables with the words of NODE_ENV, such as NODE_USE_ENV_PROXY, so those that begin like it are its own. */
function misspelt(env: Environment, config: Config): string[] {
  const names = [...Object.keys(config).map(toEnvironmentName), ...OTHER_NAMES];
  return Object.keys(env)
    .filter((name) => /^(?!NODE_)\w+$/.test(name) && !names.includes(name))
    .flatMap((name) => {
      const nearest = findNearest(name, names);
      return nearest === null
        ? []
        : [`${name} is not a setting. Did you mean ${nearest}?`];
    });
}

/** The name that another one was probably meant to be; null if it is near none. */
function findNearest(name: string, names: readonly string[]): string | null {
  const given = name.toUpperCase();
  let nearest: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of names) {
    const distance = editDistance(letters(given), letters(candidate));
    if (distance >= least || candidate.length < MIN_LENGTH) continue;
    const isNear =
      distance <= letters(candidate).length / NAME_PER_EDIT ||
      hasAlikeWords(given, candidate) ||
      hasWordsOf(given, candidate);
    if (isNear) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

const letters = (name: string): string => name.replaceAll('_', '');

/** MESSAGE_URL and MESSAGING_URL. */
function hasAlikeWords(one: string, other: string): boolean {
  const words = one.split('_');
  const others = other.split('_');
  return (
    words.length === others.length &&
    others.every(
      (word, index) =>
        editDistance(words[index] ?? '', word) <= word.length / WORD_PER_EDIT,
    )
  );
}

/** Whether one name has all words of the other one, and begins alike: REST_TIMEOUT and REST_TIMEOUT_MS. */
function hasWordsOf(one: string, other: string): boolean {
  const words = one.split('_');
  const others = other.split('_');
  const [short, long] = words.length < others.length ? [words, others] : [others, words];
  return (
    short.length > 1 && short[0] === long[0] && short.every((word) => long.includes(word))
  );
}
