import { USUAL_PARAMETERS } from '../paging/parameters.ts';
import { STYLES } from '../paging/shared-paging.ts';
import type { WireObject } from '../rest/decode.ts';
import { toKeyName } from './fields.ts';
import { type Found, joinParts, unknown } from './found.ts';
import type { UnknownCursor } from './known-list.ts';
import type { NextParameter, PagingStudy, Tried } from './paging.ts';

interface PagingFinding {
  /** `limit`: no parameter was found, so the gateway can only request longer first pages. */
  readonly style: 'limit' | NextParameter['style'];
  readonly param: string | null;
  readonly backParam: string | null;
  readonly unknownCursor: UnknownCursor | null;
}

/** Words in the names of fields that may have to do with paging. */
const HINT = /next|prev|cursor|token|offset|page|link|after/;

/**
 * Open point: pagination parameter. `paging`: null if no search has begun. `max`: the maximum `limit`; null if none is known.
 * `stopped`: why the probe ended early; null if it did not. `pages`: whole responses of list endpoints.
 */
export function describePaging(
  paging: PagingStudy | null,
  max: number | null,
  stopped: string | null,
  pages: readonly WireObject[],
): Found<PagingFinding> {
  if (paging === null) {
    return unknown(
      stopped === null
        ? 'no list is long enough: fewer than 3 items in each'
        : `the probe ended before this step: ${stopped}`,
    );
  }
  const { tried, next, isSearched, hasLostItems } = paging;
  if (next !== null) return describeFound(paging, next);
  const namesOf = (...outcomes: readonly Tried['outcome'][]) =>
    outcomes
      .flatMap((one) => tried.filter(({ outcome }) => outcome === one))
      .map(({ name }) => name)
      .join(', ');
  if (!isSearched) {
    return unknown(
      `${tried.length} names had no effect, then the probe ended: ${stopped}`,
    );
  }
  const unclear = namesOf('elsewhere');
  if (unclear !== '') {
    return unknown(
      `${unclear} changed the page in an unclear way, perhaps because the list changed: probe again`,
    );
  }
  if (hasLostItems) {
    return unknown(
      `${tried.length} names had no effect, but the list changed too much to be sure: probe again`,
    );
  }
  const failed = namesOf('trouble');
  const unusable = namesOf('including', 'before');
  const refused = tried.filter(({ outcome }) => outcome === 'refused').length;
  const fields = pages.flatMap(Object.keys).filter((name) => HINT.test(name));
  const hints = [...new Set(fields.map(toKeyName))].join(', ');
  return {
    finding: { style: 'limit', param: null, backParam: null, unknownCursor: null },
    words: 'no parameter found: only limit',
    // Almost every service has a parameter, and no list of names is complete.
    confidence: 'guess',
    evidence: joinParts(
      `none of ${tried.length} names returns the next page, ${refused} of them are refused`,
      failed && `no readable answer: ${failed}`,
      unusable && `pages that the gateway cannot use: ${unusable}`,
      hints && `lists also have ${hints}: ask the operator`,
      max === null
        ? 'longer first pages work'
        : `pages have at most ${max} items, so there must be a parameter with another name: ask the service's operator, or later pages stay out of reach`,
    ),
  };
}

function describeFound(
  { backParam, unknownCursor, worksInOtherList, isSure }: PagingStudy,
  { name, style }: NextParameter,
): Found<PagingFinding> {
  const isFromZero = style === 'page from zero';
  const styleWords = isFromZero ? 'page, from zero' : style;
  return {
    finding: { style, param: name, backParam, unknownCursor },
    words: joinParts(
      name === style ? styleWords : `${styleWords}, called ${name}`,
      backParam !== null && `back: ${backParam}`,
    ),
    confidence: isSure && worksInOtherList !== false ? 'certain' : 'likely',
    evidence: joinParts(
      style === 'starting_after'
        ? `${name}=<id> returns the items after that one, tried twice`
        : `${name}=<number> counts ${COUNTED[style]}, tried with different numbers`,
      worksInOtherList !== null &&
        (worksInOtherList
          ? 'it works in the other list too'
          : 'it does not work in the other list'),
      style === 'starting_after' &&
        (backParam === null
          ? 'none of the tried names pages back'
          : `${backParam} pages back`),
      unknownCursor !== null &&
        `an unknown id ${UNKNOWN_ID_WORDS[unknownCursor] ?? `is refused with ${unknownCursor}`}`,
      isFromZero &&
        'the gateway counts pages from one, so it can only request longer first pages',
    ),
  };
}

const COUNTED = {
  offset: 'items',
  page: 'pages from one',
  'page from zero': 'pages from zero',
};
const UNKNOWN_ID_WORDS: Partial<Record<UnknownCursor, string>> = {
  empty: 'gets an empty page',
  first: 'gets the first page',
  elsewhere: 'gets some other page',
};

/** The settings of the gateway for this way of paging, without default values. */
export function toPagingSettings(paging: PagingFinding | null): Record<string, string> {
  if (paging === null) return {};
  const { style, param, backParam, unknownCursor } = paging;
  // The gateway cannot count pages from zero.
  if (!STYLES.some((name) => name === style)) return { PAGING: 'limit' };
  const settings: Record<string, string> = { PAGING: style };
  if (param !== null && param !== style) settings.PAGING_PARAM = param;
  if (backParam !== null && backParam !== USUAL_PARAMETERS.before) {
    settings.PAGING_BACK_PARAM = backParam;
  }
  if (unknownCursor === 'first') settings.PAGING_UNKNOWN_ID = 'first';
  return settings;
}
