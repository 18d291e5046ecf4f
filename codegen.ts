/**
 * Writes the types of the schema and of its resolvers, which are not committed: `npm ci`, `npm test` and `npm run build` do so by
 * `npm run types`. It calls GraphQL Code Generator as a library, because its command line needs some 190 packages more.
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { codegen } from '@graphql-codegen/core';
import * as typescript from '@graphql-codegen/typescript';
import * as resolvers from '@graphql-codegen/typescript-resolvers';
import { concatAST, parse, Source } from 'graphql';

const FILE = 'src/generated/types.ts';

/** Resolvers receive the objects of rest/ as their parents. */
const mappers = {
  Message: '../rest/message.ts#Message as MessageModel',
  Conversation: '../rest/conversation.ts#Conversation as ConversationModel',
  Contact: '../rest/message.ts#Contact as ContactModel',
  Reaction: '../rest/message.ts#Reaction as ReactionModel',
  MessageConnection: '../paging/connection.ts#Connection<MessageModel>',
  MessageChange: '../live/change.ts#MessageChange as MessageChangeModel',
  ConversationChange: '../live/change.ts#ConversationChange as ConversationChangeModel',
  ConversationConnection: '../paging/connection.ts#Connection<ConversationModel>',
};
const scalars = {
  ID: { input: 'string', output: 'string' },
  Timestamp: 'number',
  DateTime: { input: '../rest/date-time.ts#Instant', output: 'string' },
  JSON: 'unknown',
};

const parts = globSync('schema/*.graphql').toSorted();
const toSource = (part: string) => new Source(readFileSync(part, 'utf8'), part);
const types = await codegen({
  schema: concatAST(parts.map((part) => parse(toSource(part)))),
  documents: [],
  filename: FILE,
  plugins: [{ typescript: {} }, { resolvers: {} }],
  pluginMap: { typescript, resolvers },
  config: {
    useTypeImports: true,
    // Node only strips types, but an enum is code.
    enumsAsTypes: true,
    contextType: '../resolvers/context.ts#GatewayContext',
    mappers,
    scalars,
    strictScalars: true,
    defaultScalarType: 'unknown',
    avoidOptionals: { field: true },
  },
});
mkdirSync('src/generated', { recursive: true });
writeFileSync(
  FILE,
  `// Made by codegen.ts from schema/*.graphql; not edited by hand.\n${types}`,
);
