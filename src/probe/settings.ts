import type { Findings } from './report.ts';

/** The names the gateway uses by itself. */
const USUAL_NAMES: Record<string, string> = {
  starting_after: 'starting_after',
  offset: 'offset',
  page: 'page',
};
const USUAL_BACK_NAME = 'ending_before';

/** The gateway's settings for what was found; what is unknown, or as usual, is left out. */
export function toSettings(url: string, findings: Findings): Record<string, string> {
  const settings: Record<string, string> = { MESSAGING_URL: url };
  const paging = findings[8].finding;
  if (paging !== null) {
    const { style, param, backParam, unknownCursor } = paging;
    const usual = USUAL_NAMES[style];
    // Pages counted from zero are none the gateway can ask for.
    settings.PAGING = usual === undefined ? 'limit' : style;
    if (usual !== undefined && param !== null && param !== usual) {
      settings.PAGING_PARAM = param;
    }
    if (backParam !== null && backParam !== USUAL_BACK_NAME) {
      settings.PAGING_BACK_PARAM = backParam;
    }
    if (unknownCursor === 'first') settings.PAGING_UNKNOWN_ID = 'first';
  }
  const max = findings[16].finding?.max ?? null;
  if (max !== null) settings.MAX_LIMIT = String(max);
  const unit = findings[4].finding;
  if (unit !== null) settings.TIMESTAMP_UNIT = unit;
  return settings;
}
