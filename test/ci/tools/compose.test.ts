import { readFileSync } from 'node:fs';
import { composeServices as composeByApollo } from '@apollo/composition';
import { composeServices as composeByTheGuild } from '@theguild/federation-composition';
import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { printSchema } from '../../../src/gateway.ts';

const COMPOSERS = { Apollo: composeByApollo, 'The Guild': composeByTheGuild };

/** The second subgraph of docs/composing.md. */
const NOTES = readFileSync('examples/composing/notes.graphql', 'utf8');

/** As a server for Relay has it: with its own way to find an object again. */
const RELAY = `
  extend schema
    @link(url: "https://specs.apollo.dev/federation/v2.5", import: ["@key", "@shareable"])

  type Query {
    node(id: ID!): Node
    nodes(ids: [ID!]!): [Node]!
    photos(first: Int, after: String, last: Int, before: String): PhotoConnection!
  }
  interface Node { id: ID! }
  type Photo implements Node @key(fields: "id") { id: ID!  url: String! }
  type PhotoConnection { edges: [PhotoEdge]  pageInfo: PageInfo! }
  type PhotoEdge { cursor: String!  node: Photo }
  type PageInfo @shareable {
    hasNextPage: Boolean!
    hasPreviousPage: Boolean!
    startCursor: String
    endCursor: String
  }
  type Message @key(fields: "id") { id: ID!  photos(first: Int): PhotoConnection! }
  type Contact @key(fields: "id") { id: ID!  portrait: Photo }
`;

/** The same without a link, as all subgraphs were before Federation 2. */
const RELAY_OF_FEDERATION_1 = RELAY.replace(/extend schema\s+@link\(.*\)/, '').replace(
  / @shareable/,
  '',
);

function compose(composer: keyof typeof COMPOSERS, ...others: readonly string[]) {
  const texts = [printSchema({ federation: true }), ...others];
  const { supergraphSdl = '', errors = [] } = COMPOSERS[composer](
    texts.map((text, index) => ({
      name: index === 0 ? 'messaging' : `other${index}`,
      url: `http://service${index}`,
      typeDefs: parse(text),
    })),
  );
  return { supergraph: supergraphSdl, errors: errors.map(({ message }) => message) };
}

const composers = Object.keys(COMPOSERS) as (keyof typeof COMPOSERS)[];

describe.each(composers)('the composer of %s composes the gateway', (composer) => {
  test.each([
    ['alone', []],
    ['with a second subgraph that adds fields to its types', [NOTES]],
    ['beside a neighbour for Relay', [RELAY]],
    [
      'beside a neighbour for Relay that knows only Federation 1',
      [RELAY_OF_FEDERATION_1],
    ],
    ['with several others', [NOTES, RELAY]],
  ])('%s', (_what, others) => {
    const { supergraph, errors } = compose(composer, ...others);

    expect(errors).toEqual([]);
    expect(() => parse(supergraph)).not.toThrow();
    expect(supergraph).toContain('MESSAGING');
  });

  test('so that other subgraphs come back for messages and conversations, but not for contacts', () => {
    const linking = (type: string, field: string) => `
      extend schema @link(url: "https://specs.apollo.dev/federation/v2.0", import: ["@key"])
      type Query { latest: ${type} }
      type ${type} @key(fields: "id"${field}) { id: ID! }
    `;

    expect(compose(composer, linking('Message', ', resolvable: false')).errors).toEqual(
      [],
    );
    expect(compose(composer, linking('Conversation', '')).errors).toEqual([]);
    expect(compose(composer, linking('Contact', '')).errors.join()).toContain('username');
  });

  test('with a PageInfo and fields for nodes that come from the neighbour alone', () => {
    const { supergraph } = compose(composer, RELAY);

    const [, node = ''] = /^interface Node\b([^}]*)\}/m.exec(supergraph) ?? [];
    expect(node).toContain('id: ID!');
    expect(node).not.toContain('nodeId');
    expect(supergraph).toMatch(/^ {2}node\(id: ID!\): Node/m);
  });
});

test('two subgraphs that define one field each are refused, so a clash would be seen', () => {
  const clashing = NOTES.replace('type Query {', 'type Query { message(id: ID!): Note\n');

  for (const composer of composers) {
    const { errors } = compose(composer, clashing);
    expect(errors.join(), composer).toContain('Query.message');
  }
});
