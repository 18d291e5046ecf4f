import fc from 'fast-check';
import { parse, validate as validateByGraphql } from 'graphql';
import { expect, test } from 'vitest';
import { createValidate } from '../../src/document/validate.ts';
import { resources } from '../../src/messaging/index.ts';
import { createSchema } from '../../src/resolvers/schema.ts';
import { runParameters, timeoutFor } from '../trust/runs.ts';

const schema = createSchema(resources);
const validate = createValidate(schema, true);
const RUNS = runParameters(600);

const messagesOf = (text: string) => validate(parse(text)).map(({ message }) => message);

/** Fields that fit and fields that do not, with and without selections, again and again. */
const FIELDS = [
  'id',
  'id',
  'contact',
  'contact { id }',
  'contact: contact { id }',
  'contact { id: id id: username }',
  'contact: contact { name: id name: id name: username }',
  'contact { username id id { id } }',
  'conversation',
  'conversation { id }',
  'conversation { id messages(first: 1) }',
  'conversation { messages(first: 1) { nodes { id } } messages(first: 1) }',
  'message',
  'message: message',
  'message: id',
  'message: createdAt',
  'message: conversation { id }',
  'conversation { messages(first: 1, after: "a") { nodes { id } } }',
  'conversation { messages(after: "a", first: 1) { nodes { id } } }',
  'conversation { messages: messages(first: 1, after: "b") { nodes { id } } }',
  'conversation { m: messages(after: "a", first: 1) { nodes { id id: id id: message } } }',
  '... on Message { contact { id } }',
  '...F',
];
/** Of a few fields, so that some are selected often. */
const selections = fc
  .subarray(FIELDS, { minLength: 1, maxLength: 5 })
  .chain((few) => fc.array(fc.constantFrom(...few), { minLength: 1, maxLength: 8 }));

// security: many-mistakes, merged-repeats
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
      // After a hundred conflicts, graphql aborts.
      const others = expected.filter(
        (message) => !/conflict because|aborted/.test(message),
      );
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

// security: merged-repeats
test.each([
  [
    'with and without its name as alias',
    '{ conversation(id: "a") { id } conversation: conversation(id: "a") { id } conversation: message(id: "a") { id } }',
  ],
  [
    'with its arguments in another order',
    '{ messages(first: 1, after: "a") { nodes { id } } messages(after: "a", first: 1) { nodes { id } } messages(first: 2, after: "a") { nodes { id } } }',
  ],
  [
    'with the fields of its input in another order',
    'mutation { sendMessage(input: { conversationId: "c", message: "a" }) { message { id } } sendMessage(input: { message: "a", conversationId: "c" }) { message { id } } sendMessage(input: { message: "b", conversationId: "c" }) { message { id } } }',
  ],
])(
  'after a field that is selected twice, %s, another one of the same name is in conflict',
  (_, text) => {
    expect(messagesOf(text)).toEqual([expect.stringContaining('conflict')]);
  },
);

test.each([
  [
    'valid: objects and fragments',
    `{ ${'message(id: "m") { id contact { username } } ... on Query { message(id: "m") { id } } '.repeat(1000)} }`,
    [],
  ],
  [
    'invalid: another field of the same name, further in',
    `{ ${'m: message(id: "m") { a: id } '.repeat(1000)} m: message(id: "m") { a: message } }`,
    [expect.stringContaining('conflict')],
  ],
  [
    'invalid: an object without a selection',
    `{ ${'conversations(first: 1) { nodes { id } } '.repeat(1000)} conversations(first: 1) }`,
    [expect.stringContaining('must have a selection of subfields')],
  ],
])('with more repeats than graphql compares, a document is %s', (_, text, messages) => {
  expect(messagesOf(text)).toEqual(messages);
});

// security: many-mistakes
test('of the mistakes in a document, the first twenty are listed', () => {
  const fields = Array.from({ length: 1000 }, (_, index) => `unknown${index}`);
  const messages = messagesOf(`{ ${fields.join(' ')} }`);

  expect(messages).toHaveLength(21);
  expect(messages[19]).toContain('"unknown19"');
  expect(messages[20]).toContain('Too many validation errors');
});

test('reading the schema is invalid if clients may not', () => {
  const hiding = createValidate(schema, false);
  const [error, ...others] = hiding(parse('{ __schema { queryType { name } } }'));

  expect(error?.extensions).toEqual({
    code: 'GRAPHQL_VALIDATION_FAILED',
    validationErrorCode: 'INTROSPECTION_DISABLED',
  });
  expect(others).toEqual([]);
  expect(hiding(parse('{ __typename }'))).toEqual([]);
});
