import fc from 'fast-check';
import { parse, validate as validateByGraphql } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createValidate } from '../../src/document/validate.ts';
import { createSchema } from '../../src/resolvers/schema.ts';
import { runParameters, timeoutFor } from '../trust/runs.ts';

const schema = createSchema();
const validate = createValidate({ schema, introspection: true });
const RUNS = runParameters(3000);

const messagesOf = (text: string) => validate(parse(text)).map(({ message }) => message);

/** Fields that fit and fields that do not, with and without selections, again and again. */
const FIELDS = [
  'id',
  'id',
  'contact',
  'contact { id }',
  'contact { username id id { id } }',
  'conversation',
  'conversation { id }',
  'conversation { id messages(first: 1) }',
  'conversation { messages(first: 1) { nodes { id } } messages(first: 1) }',
  'message',
  'message: id',
  'message: createdAt',
  'message: conversation { id }',
  '... on Message { contact { id } }',
  '...F',
];
const selections = fc.array(fc.constantFrom(...FIELDS), { minLength: 1, maxLength: 8 });

test('documents are valid if they are for graphql, however their selections repeat', {
  timeout: timeoutFor(RUNS.numRuns),
}, () => {
  let conflicts = 0;
  let valid = 0;
  fc.assert(
    fc.property(selections, selections, (root, fragment) => {
      const text = `{ m: message(id: "1") { ${root.join(' ')} ...F } }
        fragment F on Message { ${fragment.join(' ').replaceAll('...F', 'createdAt')} }`;
      const expected = validateByGraphql(schema, parse(text)).map(
        ({ message }) => message,
      );
      const others = expected.filter((message) => !message.includes('conflict because'));
      const messages = messagesOf(text);

      if (others.length > 0) expect(messages).toEqual(others);
      else expect(messages.length > 0).toBe(expected.length > 0);
      if (expected.length === 0) valid += 1;
      else if (others.length === 0) conflicts += 1;
    }),
    RUNS,
  );
  expect(Math.min(conflicts, valid)).toBeGreaterThan(RUNS.numRuns / 50);
});

describe('a document with more repeats than graphql compares', () => {
  const THOUSAND = 1000;
  test.each([
    ['a field', '{ __typename '],
    ['an object', '{ message(id: "m") { id contact { username } } '],
    ['an inline fragment', '{ ... on Query { message(id: "m") { id } } '],
  ])('is valid if they can be merged: %s', (_what, begin) => {
    const text = `${begin}${begin.slice(1).repeat(THOUSAND)}}`;

    expect(validateByGraphql(schema, parse(text))).not.toEqual([]);
    expect(messagesOf(text)).toEqual([]);
  });

  test.each([
    [
      'a field and another of its name',
      `{ ${'a: __typename '.repeat(THOUSAND)} a: message(id: "m") { id } }`,
      'conflict',
    ],
    [
      'a field and another of its name, further in',
      `{ ${'m: message(id: "m") { a: id } '.repeat(THOUSAND)} m: message(id: "m") { a: message } }`,
      'conflict',
    ],
    [
      'an object without a selection',
      `{ ${'conversations(first: 1) { nodes { id } } '.repeat(THOUSAND)} conversations(first: 1) }`,
      'must have a selection of subfields',
    ],
  ])('is invalid if not: %s', (_what, text, message) => {
    const [first, ...others] = messagesOf(text);

    expect(first).toContain(message);
    expect(others).toEqual([]);
  });
});

test('of the mistakes in a document, the first twenty are listed', () => {
  const fields = Array.from({ length: 1000 }, (_, index) => `unknown${index}`);
  const messages = messagesOf(`{ ${fields.join(' ')} }`);

  expect(messages).toHaveLength(21);
  expect(messages[19]).toContain('"unknown19"');
  expect(messages[20]).toContain('Too many validation errors');
});

test('reading the schema is invalid if clients may not', () => {
  const hiding = createValidate({ schema, introspection: false });
  const [error, ...others] = hiding(parse('{ __schema { queryType { name } } }'));

  expect(error?.extensions).toEqual({
    code: 'GRAPHQL_VALIDATION_FAILED',
    validationErrorCode: 'INTROSPECTION_DISABLED',
  });
  expect(others).toEqual([]);
  expect(hiding(parse('{ __typename }'))).toEqual([]);
});
