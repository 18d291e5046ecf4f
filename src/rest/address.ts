import { API_VERSION } from './path.ts';

/** A base address of the service, parsed. */
interface BaseAddress {
  /** Without the version and without a slash at its end. */
  readonly url: string;
  /** Whether the text ended with the version. Callers refuse that, because every call adds the version. */
  readonly hasVersion: boolean;
}

/** Null if the text is not an http or https address, or if it has credentials, a query or a fragment. */
export function parseBaseAddress(text: string): BaseAddress | null {
  const url = URL.parse(text);
  const isPlain =
    url !== null &&
    ['http:', 'https:'].includes(url.protocol) &&
    url.username + url.password === '' &&
    !/[?#]/.test(text);
  if (!isPlain) return null;
  const path = url.pathname.replace(/\/+$/, '');
  const hasVersion = path.endsWith(API_VERSION);
  const base = hasVersion ? path.slice(0, -API_VERSION.length) : path;
  return { url: url.origin + base, hasVersion };
}
