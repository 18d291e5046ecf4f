import { hash } from 'node:crypto';
import { makeExecutableSchema } from '@graphql-tools/schema';
import {
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  responsePathAsArray,
} from 'graphql';

/** Every kind of output type: nullable or not, in lists and alone. */
const TYPES = /* GraphQL */ `
  interface Named { id: ID!  name: String }
  type Person implements Named {
    id: ID!  name: String  age: Int!  friend: Person  bestFriend: Person!  pets(first: Int! = 2): [Pet!]
    contacts: [Named]  likes: Being  tags: [String!]!  anything: JSON
  }
  type Pet implements Named { id: ID!  name: String  owner: Person!  kind: Kind  nicknames: [[String!]] }
  union Being = Person | Pet
  enum Kind { CAT DOG }
  scalar JSON
  type Query { person(id: ID): Person  me: Person!  people: [Person!]!  named: Named  all: [Named!]  beings(first: Int): [Being]!  text: String }
  type Mutation { rename(name: String = "x"): Person  remove: Boolean!  add(to: ID!): Pet! }
`;

/** What the resolvers of one operation do. */
export interface Behaviour {
  readonly seed: number;
  /** Whether some of them answer later. */
  readonly isAsync: boolean;
}

/** A schema whose fields misbehave at random, but always in the same way at the same place with the same arguments. */
export function createRandomSchema(): GraphQLSchema {
  const schema = makeExecutableSchema({ typeDefs: TYPES });
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    if (type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      const isRoot = ['Query', 'Mutation'].includes(type.name);
      // Half of the leaves are properties of their objects, without a resolver.
      const isProperty =
        !isRoot &&
        isLeafType(getNamedType(field.type)) &&
        roll(type.name + field.name) % 2 === 0;
      if (isProperty) continue;
      field.resolve = (_source, args, behaviour: Behaviour, info) =>
        answer(
          behaviour,
          `${responsePathAsArray(info.path).join('.')}${JSON.stringify(args)}`,
          info,
        );
    }
  }
  return schema;
}

const roll = (text: string): number =>
  Number.parseInt(hash('sha1', text).slice(0, 8), 16);

function answer(
  { seed, isAsync }: Behaviour,
  place: string,
  { returnType, schema }: GraphQLResolveInfo,
): unknown {
  const dice = roll(`${seed} ${place}`);
  const isLater = isAsync && dice % 3 === 0;
  if (dice % 11 !== 0) {
    const value = anyValue(returnType, { seed, isAsync, place, schema });
    return isLater ? Promise.resolve(value) : value;
  }
  const error = new Error(`failed at ${place}`);
  if (isLater) return Promise.reject(error);
  throw error;
}

interface Place extends Behaviour {
  readonly place: string;
  readonly schema: GraphQLSchema;
}

/** Now and then null, an error as a value, or a value that does not fit. */
function anyValue(type: GraphQLOutputType, at: Place): unknown {
  const dice = roll(`${at.seed} value ${at.place}`);
  if (dice % 13 === 0) return dice % 2 === 0 ? null : undefined;
  if (dice % 17 === 0) return new Error(`an error as the value of ${at.place}`);
  if (isNonNullType(type)) return anyValue(type.ofType, at);
  if (!isListType(type)) return oneValue(getNamedType(type), dice, at);
  if (dice % 19 === 0) return 7;
  return Array.from({ length: dice % 4 }, (_, index) => {
    const item = anyValue(type.ofType, { ...at, place: `${at.place}.${index}` });
    // All items of an operation are late, or none: graphql forgets a late failure beside an early one.
    if (!at.isAsync) return item;
    return item instanceof Error ? rejected(item) : Promise.resolve(item);
  });
}

/** It may stand in an object that waits for its turn, which no object of the gateway's does. */
function rejected(error: Error): Promise<never> {
  const promise = Promise.reject(error);
  promise.catch(() => {});
  return promise;
}

function oneValue(type: GraphQLNamedType, dice: number, at: Place): unknown {
  if (isEnumType(type)) return ['CAT', 'DOG', 'FISH'][dice % 3];
  if (type.name === 'JSON') return [{ a: [1, null] }, 'text', 5][dice % 3];
  if (type.name === 'Boolean') return dice % 2 === 0;
  if (type.name === 'Int') return dice % 23 === 0 ? 1.5 : dice % 1000;
  if (isLeafType(type)) return dice % 29 === 0 ? {} : `text ${dice % 1000}`;
  if (!isAbstractType(type)) return propertiesOf(type, at);
  const name = dice % 31 === 0 ? 'Kind' : dice % 2 === 0 ? 'Person' : 'Pet';
  const found = at.schema.getType(name);
  return { __typename: name, ...(found && propertiesOf(found, at)) };
}

function propertiesOf(type: GraphQLNamedType, at: Place): object {
  if (!isObjectType(type)) return {};
  const leaves = Object.values(type.getFields()).filter((field) =>
    isLeafType(getNamedType(field.type)),
  );
  return Object.fromEntries(
    leaves.map((field) => [
      field.name,
      anyValue(field.type, { ...at, isAsync: false, place: `${at.place}.${field.name}` }),
    ]),
  );
}
