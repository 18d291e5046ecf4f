import {
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { mutationType } from '../oracle/schema.ts';
import type { Arguments } from '../oracle/values.ts';

/** Every way to give every field of every input: a value, null, nothing, an empty list; `UpdateMessageInput.message null`. */
export const everyWay = (): string[] =>
  Object.values(mutationType.getFields()).flatMap(({ args: [input] }) =>
    input === undefined ? [] : waysOf(input.type),
  );

function waysOf(type: GraphQLInputType): string[] {
  const input = getNamedType(type);
  if (!isInputObjectType(input)) return [];
  return Object.values(input.getFields()).flatMap((field) => {
    const ways = ['given'];
    if (!isNonNullType(field.type)) ways.push('null', 'left out');
    if (isListType(getNullableType(field.type))) ways.push('empty');
    const own = ways.map((way) => `${input.name}.${field.name} ${way}`);
    return [...own, ...waysOf(field.type)];
  });
}

/** The ways an input of a mutation gives its fields. */
export function waysIn(field: string, input: Arguments): string[] {
  const [argument] = mutationType.getFields()[field]?.args ?? [];
  const type = argument && getNamedType(argument.type);
  return isInputObjectType(type) ? waysGiven(type, input) : [];
}

function waysGiven(type: GraphQLInputObjectType, input: Arguments): string[] {
  return Object.values(type.getFields()).flatMap((field) => {
    const value = input[field.name];
    return [`${type.name}.${field.name} ${wayOf(value)}`, ...waysInside(field, value)];
  });
}

function waysInside(field: GraphQLInputField, value: unknown): string[] {
  const type = getNamedType(field.type);
  if (!isInputObjectType(type) || !Array.isArray(value)) return [];
  return value.flatMap((item) => waysGiven(type, item));
}

function wayOf(value: unknown): string {
  if (value === undefined) return 'left out';
  if (value === null) return 'null';
  return Array.isArray(value) && value.length === 0 ? 'empty' : 'given';
}
