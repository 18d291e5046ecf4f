/** The usual names of the paging parameters. Open point: pagination parameter. */
export const USUAL_PARAMETERS = {
  /** Takes an item's id, for the page after it. */
  after: 'starting_after',
  /** Takes an item's id, for the page before it. */
  before: 'ending_before',
  /** Takes a number of items to skip. */
  offset: 'offset',
  /** Takes the number of a page, from one. */
  page: 'page',
} as const;

/** How a service answers an unknown id there: with a refusal or an empty page, or with its first page. */
export const UNKNOWN_IDS = ['refused', 'first'] as const;
export type UnknownId = (typeof UNKNOWN_IDS)[number];

/** Which end of its lists a service shows first; `auto`: the times of the items show it. Open point: order of lists. */
export const LIST_ORDERS = ['auto', 'newest', 'oldest'] as const;
export type ListOrderSetting = (typeof LIST_ORDERS)[number];
