import type { ErrorCode } from './error-codes.ts';

/** The service refuses the token, also one that it has accepted before. */
export const UNAUTHORIZED = 401;
export const FORBIDDEN = 403;
/** Open point: rate limits. */
export const RATE_LIMITED = 429;

/** What the statuses of refused calls mean; all others are UPSTREAM_ERROR. Open point: error format. */
const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'BAD_USER_INPUT',
  [UNAUTHORIZED]: 'UNAUTHENTICATED',
  [FORBIDDEN]: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  410: 'NOT_FOUND',
  422: 'BAD_USER_INPUT',
  [RATE_LIMITED]: 'RATE_LIMITED',
};

/** Refusals of how the gateway calls; no client's input can cause them. */
const OF_THE_SETUP: readonly number[] = [405, 406, 407, 411, 415, 421, 426];

/** Refusals that depend on the token or the moment, not on the request. */
const OF_THE_MOMENT: readonly number[] = [UNAUTHORIZED, 408, 425, RATE_LIMITED];

export const toCode = (status: number): ErrorCode => CODES[status] ?? 'UPSTREAM_ERROR';

/** Open point: success status codes. */
export const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

export const isRedirect = (status: number): boolean => status >= 300 && status <= 399;

/** Whether the service certainly did not do what was asked of it. */
export const isRefusal = (status: number): boolean => status >= 400 && status <= 499;

/** Whether the service refuses what was asked for. */
export const isRefusedRequest = (status: number): boolean =>
  isRefusal(status) && !OF_THE_MOMENT.includes(status);

/** Whether the service, or a proxy before it, refuses how the gateway calls. */
export const isRefusedSetup = (status: number): boolean => OF_THE_SETUP.includes(status);

/** Open point: error format. How a service may answer an unknown id in the path. */
export const isUnknownId = (status: number): boolean => toCode(status) === 'NOT_FOUND';

/** How a service refuses the value of a parameter, such as a `limit` that is too high. */
export const isBadValue = (status: number): boolean =>
  toCode(status) === 'BAD_USER_INPUT';

/** A failing service may still check tokens, and anybody can send a bad one. */
export const isRefusedToken = (status: number): boolean =>
  status === UNAUTHORIZED || status === FORBIDDEN;

/** Whether a read may be repeated at once. */
export const isTransient = (status: number): boolean => status >= 502 && status <= 504;
