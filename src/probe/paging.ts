import type { WireObject } from '../rest/decode.ts';
import { toKeyName } from './fields.ts';
import { type Confidence, type Found, unknown } from './found.ts';
import type { NextParam, Tried } from './next.ts';
import type { PagingFinding } from './report.ts';
import type { Study } from './study.ts';

/** Open point 8, from what the names did. `pages` are the answers of list endpoints, whole. */
export function describePaging(
  study: Study,
  { stopped, pages }: { stopped: string | null; pages: readonly WireObject[] },
): Found<PagingFinding> {
  if (study.next !== null) return describeFound(study, study.next);
  const why = whyUnknown(study, stopped);
  return why === null ? describeNone(study, pages) : unknown(why);
}

/** Why nothing can be said, not even that none of the names does it; null if that can. */
function whyUnknown(
  { ground, tried, isSearched, hasLost }: Study,
  stopped: string | null,
): string | null {
  if (ground === null) {
    return stopped === null
      ? 'no list is long enough: fewer than 3 items in each'
      : `it ended before it could try: ${stopped}`;
  }
  if (!isSearched) return `${tried.length} names did nothing, then it ended: ${stopped}`;
  const strange = namesOf(tried, 'elsewhere');
  if (strange.length > 0) {
    return `${strange.join(', ')} moved the page in a way that could not be made out, perhaps for the list shifts: probe again`;
  }
  return hasLost
    ? `${tried.length} names did nothing, but the list changed too much meanwhile to be sure: probe again`
    : null;
}

const namesOf = (tried: readonly Tried[], outcome: Tried['outcome']): string[] =>
  tried.filter((one) => one.outcome === outcome).map(({ name }) => name);

function describeFound(study: Study, { name, style, isSure }: NextParam) {
  const { backParam, unknownCursor, inOtherList } = study;
  const finding: PagingFinding = { style, param: name, backParam, unknownCursor };
  const isId = style === 'starting_after';
  const evidence = [
    isId
      ? `${name}=<id> brings what comes behind that item, asked twice`
      : `${name}=<number> counts ${COUNTS[style]}, asked with different numbers`,
    ...(inOtherList === null ? [] : [inOtherList ? IN_BOTH : IN_ONE]),
    ...(isId ? [backParam === null ? NO_WAY_BACK : `${backParam} pages back`] : []),
    ...(unknownCursor === null ? [] : [describeUnknown(unknownCursor)]),
    ...(style === 'page from zero' ? [FROM_ZERO] : []),
  ].join('; ');
  const confidence: Confidence = isSure && inOtherList !== false ? 'certain' : 'likely';
  const named = style === 'page from zero' ? 'page, from zero' : style;
  const words = [
    name === style ? named : `${named}, called ${name}`,
    ...(backParam === null ? [] : [`back: ${backParam}`]),
  ].join('; ');
  return { finding, words, confidence, evidence };
}

const COUNTS = {
  offset: 'items',
  page: 'pages from one',
  'page from zero': 'pages from zero',
};
const IN_BOTH = 'so it does in the other list';
const IN_ONE = 'in the other list it does not';
const NO_WAY_BACK = 'no name tried pages back';
const FROM_ZERO =
  'the gateway counts pages from one, so only longer first pages are left to it';

function describeUnknown(cursor: NonNullable<Study['unknownCursor']>): string {
  if (cursor === 'empty') return 'an unknown id gets an empty page';
  if (cursor === 'first') return 'an unknown id gets the first page';
  if (cursor === 'elsewhere') return 'an unknown id gets a page from somewhere';
  return `an unknown id is refused with ${cursor}`;
}

/** What no list of names can rule out: a parameter of yet another name. */
function describeNone({ tried, cap }: Study, pages: readonly WireObject[]) {
  const refused = namesOf(tried, 'refused');
  const troubled = namesOf(tried, 'trouble');
  const odd = [...namesOf(tried, 'including'), ...namesOf(tried, 'before')];
  const isCapped = cap?.max != null;
  const hints = hintsOf(pages);
  const finding: PagingFinding = {
    style: 'limit',
    param: null,
    backParam: null,
    unknownCursor: null,
  };
  const evidence = [
    `none of ${tried.length} names asks for the next page, ${refused.length} of them are refused`,
    ...(troubled.length > 0
      ? [`without an answer that can be read: ${troubled.join(', ')}`]
      : []),
    ...(odd.length > 0
      ? [`with an answer the gateway cannot use: ${odd.join(', ')}`]
      : []),
    ...(hints.length > 0 ? [`lists also carry ${hints.join(', ')}: ask what for`] : []),
    isCapped
      ? `pages end at ${cap?.max}, so there must be a parameter of another name: ask the service's operator, or later pages stay out of reach`
      : 'longer first pages work',
  ].join('; ');
  // Few services have none at all, and no list of names is complete.
  const confidence: Confidence = 'guess';
  return { finding, words: 'no parameter found: limit alone', confidence, evidence };
}

const HINT = /next|prev|cursor|token|offset|page|link|after/;

/** Names at the top of a list answer that could have to do with paging. */
const hintsOf = (pages: readonly WireObject[]): string[] => [
  ...new Set(
    pages
      .flatMap((page) => Object.keys(page))
      .filter((name) => HINT.test(name))
      .map(toKeyName),
  ),
];
