import { ProbeError } from './errors.ts';

/** The interface's version, which the gateway adds by itself. Source: Versioning. */
const VERSION_AT_END = /\/v1\/*$/;

/**
 * The base address without slashes at its end, or a ProbeError. The error never repeats what was given: it may be a
 * token in the wrong place, or hold a password.
 */
export function toBaseAddress(given: string): string {
  const url = URL.parse(given);
  const isPlain =
    url !== null &&
    ['http:', 'https:'].includes(url.protocol) &&
    url.username + url.password + url.search + url.hash === '';
  if (!isPlain) {
    throw new ProbeError(
      'The base address is an http or https address without credentials, query or fragment, such as https://messaging.example.',
    );
  }
  if (VERSION_AT_END.test(url.pathname)) {
    throw new ProbeError('Give the base address without "/v1" at its end: it is added.');
  }
  return url.href.replace(/\/+$/, '');
}
