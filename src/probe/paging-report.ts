import type { WireObject } from '../rest/decode.ts';
import { toKeyName } from './fields.ts';
import { type Confidence, type Found, unknown } from './found.ts';
import type { UnknownCursor } from './known-list.ts';
import type { NextParameter, PagingStudy, Tried } from './paging.ts';

export interface PagingFinding {
  /** `limit`: no parameter was found, so the gateway can only request longer first pages. */
  readonly style: 'limit' | NextParameter['style'];
  readonly param: string | null;
  readonly backParam: string | null;
  readonly unknownCursor: UnknownCursor | null;
}

/** Words in the names of fields that may have to do with paging. */
const HINT = /next|prev|cursor|token|offset|page|link|after/;

/** What else the description depends on. */
interface Circumstances {
  /** The maximum `limit`; null if none is known. */
  readonly max: number | null;
  /** Why the probe ended early; null if it did not. */
  readonly stopped: string | null;
  /** Whole responses of list endpoints. */
  readonly pages: readonly WireObject[];
}

/** Open point: pagination parameter. `paging` is null if no search has begun. */
export function describePaging(
  paging: PagingStudy | null,
  { max, stopped, pages }: Circumstances,
): Found<PagingFinding> {
  if (paging === null) {
    return unknown(
      stopped === null
        ? 'no list is long enough: fewer than 3 items in each'
        : `the probe ended before this step: ${stopped}`,
    );
  }
  if (paging.next !== null) return describeFound(paging, paging.next);
  const doubt = doubtOf(paging, stopped);
  if (doubt !== null) return unknown(doubt);
  return {
    finding: { style: 'limit', param: null, backParam: null, unknownCursor: null },
    words: 'no parameter found: only limit',
    // Almost every service has a parameter, and no list of names is complete.
    confidence: 'guess',
    evidence: describeSearch(paging.tried, { pages, max }),
  };
}

/** Why a search that found nothing is not reliable; null if it is. */
function doubtOf(
  { tried, isSearched, hasLostItems }: PagingStudy,
  stopped: string | null,
): string | null {
  if (!isSearched)
    return `${tried.length} names had no effect, then the probe ended: ${stopped}`;
  const unclear = namesOf(tried, 'elsewhere');
  if (unclear.length > 0) {
    return `${unclear.join(', ')} changed the page in an unclear way, perhaps because the list changed: probe again`;
  }
  return hasLostItems
    ? `${tried.length} names had no effect, but the list changed too much to be sure: probe again`
    : null;
}

const namesOf = (tried: readonly Tried[], outcome: Tried['outcome']): string[] =>
  tried.filter((one) => one.outcome === outcome).map(({ name }) => name);

function describeFound(
  { backParameter: backParam, unknownCursor, worksInOtherList }: PagingStudy,
  { name, style, isSure }: NextParameter,
): Found<PagingFinding> {
  const isKeyset = style === 'starting_after';
  const evidence = [
    isKeyset
      ? `${name}=<id> returns the items after that one, tried twice`
      : `${name}=<number> counts ${COUNTED[style]}, tried with different numbers`,
    ...(worksInOtherList === null ? [] : [worksInOtherList ? IN_BOTH : IN_ONE]),
    ...(isKeyset ? [backParam === null ? NO_WAY_BACK : `${backParam} pages back`] : []),
    ...(unknownCursor === null ? [] : [describeUnknown(unknownCursor)]),
    ...(style === 'page from zero' ? [FROM_ZERO] : []),
  ];
  const styleWords = style === 'page from zero' ? 'page, from zero' : style;
  const words = [
    name === style ? styleWords : `${styleWords}, called ${name}`,
    ...(backParam === null ? [] : [`back: ${backParam}`]),
  ];
  const confidence: Confidence =
    isSure && worksInOtherList !== false ? 'certain' : 'likely';
  return {
    finding: { style, param: name, backParam, unknownCursor },
    words: words.join('; '),
    confidence,
    evidence: evidence.join('; '),
  };
}

const COUNTED = {
  offset: 'items',
  page: 'pages from one',
  'page from zero': 'pages from zero',
};
const IN_BOTH = 'it works in the other list too';
const IN_ONE = 'it does not work in the other list';
const NO_WAY_BACK = 'none of the tried names pages back';
const FROM_ZERO =
  'the gateway counts pages from one, so it can only request longer first pages';

function describeUnknown(cursor: UnknownCursor): string {
  if (cursor === 'empty') return 'an unknown id gets an empty page';
  if (cursor === 'first') return 'an unknown id gets the first page';
  if (cursor === 'elsewhere') return 'an unknown id gets some other page';
  return `an unknown id is refused with ${cursor}`;
}

/** The evidence of a search that found no parameter. */
function describeSearch(
  tried: readonly Tried[],
  { pages, max }: { pages: readonly WireObject[]; max: number | null },
): string {
  const refused = namesOf(tried, 'refused');
  const failed = namesOf(tried, 'trouble');
  const unusable = [...namesOf(tried, 'including'), ...namesOf(tried, 'before')];
  const hints = hintsIn(pages);
  return [
    `none of ${tried.length} names returns the next page, ${refused.length} of them are refused`,
    ...(failed.length > 0 ? [`no readable answer: ${failed.join(', ')}`] : []),
    ...(unusable.length > 0
      ? [`pages that the gateway cannot use: ${unusable.join(', ')}`]
      : []),
    ...(hints.length > 0
      ? [`lists also have ${hints.join(', ')}: ask the operator`]
      : []),
    max === null
      ? 'longer first pages work'
      : `pages have at most ${max} items, so there must be a parameter with another name: ask the service's operator, or later pages stay out of reach`,
  ].join('; ');
}

/** Fields beside the items of a page that may have to do with paging. */
function hintsIn(pages: readonly WireObject[]): string[] {
  const names = pages.flatMap((page) => Object.keys(page));
  return [...new Set(names.filter((name) => HINT.test(name)).map(toKeyName))];
}
