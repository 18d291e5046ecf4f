import { validateHeaderName, validateHeaderValue } from 'node:http';
import { isObject } from '../rest/decode.ts';
import { parseJson } from '../rest/json.ts';
import { HiddenValueError } from './values.ts';

/** By name, in lower case. */
export type FixedHeaders = Readonly<Record<string, string>>;

/** The gateway writes these itself, or they belong to one connection. */
const TAKEN = [
  '__proto__',
  'accept',
  'accept-encoding',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'set-cookie',
  'te',
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'x-request-id',
];

/** Reads headers: `Name: value`, one a line, or a JSON object. */
export function headers(text: string): FixedHeaders {
  const entries = text.trimStart().startsWith('{') ? fromJson(text) : fromLines(text);
  const read = entries.map(([name, value]) => [checkName(name), checkValue(value)]);
  const byName = Object.fromEntries(read);
  if (read.length > 0 && Object.keys(byName).length === read.length) return byName;
  throw malformed();
}

/** Reads names of headers, comma-separated. */
export function headerNames(text: string): readonly string[] {
  const malformed = new HiddenValueError('names of headers, comma-separated');
  return [...new Set(text.split(',').map((name) => checkName(name.trim(), malformed)))];
}

function fromJson(text: string): [string, unknown][] {
  const json = parseJson(text);
  if (isObject(json)) return Object.entries(json);
  throw malformed();
}

const fromLines = (text: string): [string, string][] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const colon = line.indexOf(':');
      if (colon === -1) throw malformed();
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    });

function checkName(name: string, error = malformed()): string {
  try {
    validateHeaderName(name);
  } catch {
    throw error;
  }
  const lower = name.toLowerCase();
  if (!TAKEN.includes(lower)) return lower;
  throw new HiddenValueError(
    `headers that the gateway does not write itself: not ${lower}`,
  );
}

function checkValue(value: unknown): string {
  try {
    if (typeof value !== 'string') throw malformed();
    validateHeaderValue('name', value);
    return value;
  } catch {
    throw malformed();
  }
}

const malformed = () =>
  new HiddenValueError(
    'headers, each once: `Name: value`, one a line, or a JSON object of texts',
  );
