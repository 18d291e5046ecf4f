import { isIPv6 } from 'node:net';
import { TAKEN_PARAMETERS } from '../messaging/index.ts';
import { EXPLORERS, type Explorer } from '../operation/explorer-page.ts';
import { parseBaseAddress } from '../rest/address.ts';

/** Thrown by the parser of a setting; the message says which values the setting takes. */
export class InvalidValueError extends Error {}
/** The same for a value that may be a secret, and is not shown. */
export class HiddenValueError extends InvalidValueError {}

/** The value of MESSAGING_URL that starts a service in this process. */
export const EMBEDDED = 'embedded';

export const integer = (min: number, max: number) => (text: string) => {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new InvalidValueError(`an integer from ${min} to ${max}`);
};

export const oneOf =
  <T extends string>(words: readonly T[]) =>
  (text: string): T => {
    const word = words.find((candidate) => candidate === text);
    if (word !== undefined) return word;
    throw new InvalidValueError(`one of ${words.join(', ')}`);
  };

export const trueOrFalse = (text: string): boolean =>
  oneOf(['true', 'false'])(text) === 'true';

export function explorer(text: string): Explorer {
  const word = oneOf([...EXPLORERS, 'false'])(text);
  return word === 'false' ? false : word;
}

export function hostName(text: string): string {
  if (/^[\w.-]+$/.test(text) || isIPv6(text)) return text;
  throw new InvalidValueError('a host name or an address');
}

export function filePath(text: string): string {
  if (/^\P{Cc}+$/u.test(text)) return text;
  // A key may stand where its path belongs.
  const WrongValue = text === '' ? InvalidValueError : HiddenValueError;
  throw new WrongValue('the path of a file');
}

export function parameterName(text: string): string {
  if (!/^[\w.[\]-]+$/.test(text)) {
    throw new InvalidValueError(
      "a query parameter's name: letters, digits and any of _.-[]",
    );
  }
  if (!TAKEN_PARAMETERS.includes(text)) return text;
  throw new InvalidValueError(
    "a query parameter's name that the interface does not use itself",
  );
}

export function serviceAddress(text: string): string {
  if (text === EMBEDDED) return text;
  const address = parseBaseAddress(text);
  if (address === null) {
    throw new InvalidValueError(
      'the http or https address of the REST service, without credentials, query or fragment, or "embedded"',
    );
  }
  if (!address.hasVersion) return address.url;
  throw new InvalidValueError(
    `the address without "/v1", which the gateway adds: ${address.url}`,
  );
}

export function origins(text: string): '*' | readonly string[] {
  if (text === '*') return text;
  const list = text.split(',').map((origin) => origin.trim());
  const isOrigin = (origin: string) =>
    URL.parse(origin)?.origin === origin && !origin.includes('*');
  if (list.every(isOrigin)) return list;
  throw new InvalidValueError(
    '"*", or origins such as https://app.example, comma-separated',
  );
}

/** More processes than any machine has cores would only take memory. */
const MAX_WORKERS = 256;

export function workerCount(text: string): number | 'auto' {
  if (text === 'auto') return text;
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MAX_WORKERS) return count;
  throw new InvalidValueError(`an integer from 1 to ${MAX_WORKERS}, or auto`);
}

/** Reads an address that may have a password. `end`: what may follow its host and port. */
const address = (protocol: RegExp, end: RegExp, takes: string) => (text: string) => {
  const url = URL.parse(text);
  const isRight = url !== null && protocol.test(url.protocol) && url.hostname !== '';
  if (isRight && end.test(toEnd(url)) && canDecode(url)) return text;
  throw new InvalidValueError(
    `the address of a ${takes}; in a password, %25 is %, %23 is #`,
  );
};

export const redisAddress = address(
  /^rediss?:$/,
  /^(\/\d{0,4})?$/,
  'Redis: redis://host:port, or rediss://host:port for TLS',
);

export const proxyAddress = address(/^https?:$/, /^\/$/, 'proxy: http://host:port');

const toEnd = ({ pathname, search, hash }: URL): string => pathname + search + hash;

function canDecode({ username, password }: URL): boolean {
  try {
    decodeURIComponent(`${username}:${password}`);
    return true;
  } catch {
    return false;
  }
}
