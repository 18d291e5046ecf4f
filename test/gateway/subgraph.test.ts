import {
  buildClientSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  lexicographicSortSchema,
  parse,
  printSchema,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { createSchema } from '../../src/resolvers/schema.ts';
import { startTestGateway } from '../support/gateway.ts';
import { NOWHERE } from '../support/http.ts';

const SERVICE = '{ _service { sdl } }';

const printSorted = (schema: GraphQLSchema): string =>
  printSchema(lexicographicSortSchema(schema));

describe('what clients read by introspection', () => {
  test('is the schema of clients, without the fields of federation', async () => {
    await using gateway = await startTestGateway(NOWHERE);

    const { data } = await gateway.ask(getIntrospectionQuery(), { token: null });

    const shown = printSorted(buildClientSchema(data));
    expect(shown).toBe(printSorted(createSchema()));
    expect(shown).not.toMatch(/_entities|_service|_Any|_Entity|_Service/);
  });

  test.each(['_Entity', '_Any', '_Service'])('has no type %s', async (name) => {
    await using gateway = await startTestGateway(NOWHERE);

    const { data } = await gateway.ask(
      `{ found: __type(name: "${name}") { name }
         query: __type(name: "Query") { fields { name } }
         node: __type(name: "Node") { possibleTypes { name } } }`,
      { token: null },
    );

    expect(data.found).toBeNull();
    expect(data.query.fields.map((field: { name: string }) => field.name)).toEqual(
      expect.not.arrayContaining(['_entities', '_service']),
    );
    expect(data.node.possibleTypes).toHaveLength(2);
  });
});

describe('the schema for composers', () => {
  test('needs no token, and has the keys of every entity', async () => {
    await using gateway = await startTestGateway(NOWHERE);

    const { data, errors } = await gateway.ask(SERVICE, { token: null });

    const { sdl } = data._service;
    expect(errors).toBeUndefined();
    expect(() => parse(sdl)).not.toThrow();
    expect(sdl).toContain('type Message @key(fields: "id") {');
    expect(sdl).toContain('type Conversation @key(fields: "id") {');
    expect(sdl).toContain('type Contact @key(fields: "id", resolvable: false) {');
    expect(sdl).toContain('type Group @key(fields: "id", resolvable: false) {');
    expect(sdl).toContain('type PageInfo @shareable {');
  });

  test('leaves out what other subgraphs may have too: Node, and how to find one', async () => {
    await using gateway = await startTestGateway(NOWHERE);

    const { data } = await gateway.ask(SERVICE);

    const { sdl } = data._service;
    expect(sdl).not.toMatch(/\bNode\b|\bnodes?\(/);
    expect(sdl).toContain('nodeId: ID!');
  });

  test('is hidden by INTROSPECTION=false; entities are not', async () => {
    await using gateway = await startTestGateway(NOWHERE, { INTROSPECTION: 'false' });

    const service = await gateway.ask(SERVICE);
    const entities = await gateway.ask(
      '{ _entities(representations: []) { __typename } }',
    );

    expect(service.errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    expect(JSON.stringify(service)).not.toContain('Message');
    expect(entities.data).toEqual({ _entities: [] });
  });
});
