import { isIPv6 } from 'node:net';

/**
 * The value of a setting or an argument as an error shows it: on one line, and without what may be a password. People
 * paste addresses into any setting, so every value is read as one, or as a list of them.
 */
export const quote = (value: string): string =>
  onOneLine(value.split(BEFORE_NEXT).map(withoutSecrets).join(''));

/** Between two addresses. A comma alone may be part of a password. */
const BEFORE_NEXT = /(?<=[,\s])(?=[a-z][a-z\d+.-]*:\/\/)/i;

/** Written in place of what may be a password. */
const HIDDEN = '[hidden]';
/** "https:" also without its slashes: the address is wrong, so this may be what is wrong with it. */
const SCHEME = /^(?:https?:[/\\]*|[a-z][a-z\d+.-]*:\/\/)/i;
/** A path in a file system, which may have any characters. */
const PATH = /^(?:\.{0,2}\/(?!\/)|[a-z]:\\)/i;
const IPV6 = /^\[[\da-f:.]+\]/i;
/** Not a port: "https://user:password", where the host is missing. */
const NO_PORT = /:(?!(?:\d{0,4}|[1-6]\d{4})(?:[/?#,]|$)).*$/s;
const QUERY_OR_FRAGMENT = /([?#]).+$/s;

/** An address without what comes before an "@", without what follows a colon but is no port, and without its query. */
function withoutSecrets(text: string): string {
  if (PATH.test(text) || isIPv6(text)) return text;
  const scheme = SCHEME.exec(text)?.[0] ?? '';
  const at = text.lastIndexOf('@');
  const [start, rest] =
    at === -1
      ? [scheme, text.slice(scheme.length)]
      : [`${scheme}${HIDDEN}@`, text.slice(at + 1)];
  const host = IPV6.exec(rest)?.[0] ?? '';
  const end = rest
    .slice(host.length)
    .replace(NO_PORT, `:${HIDDEN}`)
    .replace(QUERY_OR_FRAGMENT, `$1${HIDDEN}`);
  return start + host + end;
}

/** Escapes control characters, which could break the line, and keeps the rest. */
const onOneLine = (value: string): string =>
  value.replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));
