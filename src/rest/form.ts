import { stringify } from 'qs';
import { BadInputError } from './errors.ts';

/** Open point: how null, an empty list and an empty object are written in a form: as the empty text. */
const EMPTY = '';
const MAX_NESTING = 64;
const BRACKETS = /[[\]]/;

/** Fields of a request body. Undefined is left out; null and empty lists are written as the empty text. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * Writes a body as form fields. Lists carry their index, `attachments[0][tags][1]=x`: with empty brackets a parser
 * could not tell where one object of a list ends and the next begins.
 * Source: Endpoints, "A request body is sent as form-style fields".
 */
export function encodeForm(fields: Fields): string {
  return stringify(mapValues(fields, writable), { arrayFormat: 'indices' });
}

/**
 * Writes reactions as `reactions[<name>][]=<username>`, the one bracket form the interface shows. Not given: nothing.
 * Source: Reaction.
 */
export function encodeReactions(
  reactions: readonly ReactionChange[] | null | undefined,
): string {
  if (reactions === undefined) return '';
  if (reactions === null || reactions.length === 0)
    return stringify({ reactions: EMPTY });
  const byName = new Map<string, string[]>();
  for (const { name, usernames } of reactions) {
    checkKey(name, 'A reaction name');
    const known = byName.get(name) ?? [];
    byName.set(name, [...known, ...usernames]);
  }
  const written = mapValues(Object.fromEntries(byName), writable);
  return stringify({ reactions: written }, { arrayFormat: 'brackets' });
}

/** Everybody who reacts to a message in one way. */
export interface ReactionChange {
  readonly name: string;
  readonly usernames: readonly string[];
}

/** Joins the parts of a body, the empty ones left out. */
export const joinForms = (...forms: string[]): string => forms.filter(Boolean).join('&');

/** The attachments as they are, or a BadInputError if one cannot be written in bracket notation. */
export function checkAttachments(attachments: readonly unknown[]): readonly unknown[] {
  for (const attachment of attachments) checkNesting(attachment, 0);
  return attachments;
}

function checkNesting(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth >= MAX_NESTING) {
    throw new BadInputError(`An attachment cannot be nested deeper than ${MAX_NESTING}.`);
  }
  for (const [key, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) checkKey(key, 'An attachment key');
    checkNesting(inner, depth + 1);
  }
}

function checkKey(key: string, what: string): void {
  if (key === '') throw new BadInputError(`${what} cannot be empty.`);
  if (BRACKETS.test(key)) throw new BadInputError(`${what} cannot hold "[" or "]".`);
  checkText(key);
}

function checkText(text: string): string {
  if (!text.isWellFormed()) throw new BadInputError('Text must be well-formed Unicode.');
  return text;
}

/** A copy in which everything qs would drop or garble has the form this project chose for it. */
function writable(value: unknown): unknown {
  if (value === null) return EMPTY;
  if (typeof value === 'string') return checkText(value);
  if (typeof value !== 'object') return value;
  if (Object.keys(value).length === 0) return EMPTY;
  return Array.isArray(value) ? value.map(writable) : mapValues(value, writable);
}

// Object.fromEntries, so that a key called "__proto__" is one like any other.
const mapValues = (record: object, change: (value: unknown) => unknown) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
