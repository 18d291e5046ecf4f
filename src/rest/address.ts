import { VERSION } from './path.ts';

/** The service's base address, as somebody gave it. */
interface BaseAddress {
  /** Without the version and without slashes at its end. */
  readonly url: string;
  /** Whether the version was at its end. Every call adds it, so callers refuse such an address. */
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
  const hasVersion = path.endsWith(VERSION);
  const base = hasVersion ? path.slice(0, -VERSION.length) : path;
  return { url: url.origin + base, hasVersion };
}
