import { isDeepStrictEqual } from 'node:util';
import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { REPEAT } from '../arbitrary/operation.ts';
import { fieldsBelow, mutationType } from '../oracle/schema.ts';
import type { Arguments, Item, World } from '../oracle/world.ts';

/** Everything that random mutations must have exercised at least once. */
export const requiredCoverage = (): readonly string[] => [
  ...fieldsBelow(mutationType),
  ...inputVariants(),
  ...outcomes(),
  ...EFFECTS,
  REPEAT,
];

/** Every way a mutation can end: done, refused by the gateway, or refused by the service. */
function outcomes(): string[] {
  const fields = Object.keys(mutationType.getFields());
  const withOutcome = (some: readonly string[], outcome: string) =>
    some.map((field) => `${field}: ${outcome}`);
  const takesId = (field: string) => field !== 'createConversation';
  const takesValues = (field: string) => !/^(delete|remove)/.test(field);
  return [
    ...withOutcome(fields, 'done'),
    ...withOutcome(fields, 'refused, unsent'),
    ...withOutcome(fields.filter(takesId), 'NOT_FOUND'),
    ...withOutcome(fields.filter(takesValues), 'BAD_USER_INPUT'),
    // A reaction that is taken back conflicts with a service that adds all that it is sent.
    ...withOutcome(['sendMessage', 'updateConversation', 'removeReaction'], 'CONFLICT'),
  ];
}

/** Every variant of every input field, such as `UpdateMessageInput.message null`. */
const inputVariants = (): string[] =>
  Object.values(mutationType.getFields()).flatMap(({ args: [input] }) =>
    input === undefined ? [] : variantsOf(input.type, null),
  );

/** The variants that the input of one mutation uses. */
export const variantsIn = (field: string, input: Arguments): string[] =>
  mutationType
    .getFields()
    [field]?.args.flatMap(({ type }) => variantsOf(type, [input])) ?? [];

/** The variants of an input type that values use; null: all that there are. */
function variantsOf(
  type: GraphQLInputType,
  values: readonly Arguments[] | null,
): string[] {
  const input = getNamedType(type);
  if (!isInputObjectType(input)) return [];
  return Object.values(input.getFields()).flatMap((field) => {
    const given = values?.map((value) => value[field.name]);
    const variants = given?.map(toVariant) ?? possibleVariants(field.type);
    const inner = given?.flat().filter((value) => value !== undefined && value !== null);
    return [
      ...variants.map((variant) => `${input.name}.${field.name} ${variant}`),
      ...variantsOf(field.type, (inner as Arguments[] | undefined) ?? null),
    ];
  });
}

function possibleVariants(type: GraphQLInputType): string[] {
  const variants = ['given'];
  if (!isNonNullType(type)) variants.push('null', 'left out');
  if (isListType(getNullableType(type))) variants.push('empty');
  return variants;
}

function toVariant(value: unknown): string {
  if (value === undefined) return 'left out';
  if (value === null) return 'null';
  return Array.isArray(value) && value.length === 0 ? 'empty' : 'given';
}

/** The effects on existing objects that mutations must have had at least once. */
const EFFECTS: string[] = [
  'sendMessage: last_active_at set',
  'updateMessage: message set',
  'updateMessage: reactions set',
  'updateMessage: reactions cleared',
  'updateMessage: attachments set',
  'updateMessage: attachments cleared',
  'updateMessage: updated_at set',
  'addReaction: reactions set',
  'removeReaction: reactions set',
  'deleteMessage: pinned_message_id cleared',
  'updateConversation: pinned_message_id set',
  'updateConversation: pinned_message_id cleared',
  'updateConversation: is_pinned true',
  'updateConversation: is_muted false',
  'updateConversation: archived_at set',
  'updateConversation: archived_at cleared',
];

/** The changes of existing objects, such as `is_muted true` or `archived_at cleared`. */
export const effectsOf = (before: World, after: World): string[] => [
  ...changesIn(before.messages, after.messages),
  ...changesIn(before.conversations, after.conversations),
];

function changesIn(before: readonly Item[], after: readonly Item[]): string[] {
  const known = new Map(before.map((wire) => [wire.id, wire]));
  return after.flatMap((wire) => {
    const old = known.get(wire.id);
    if (old === undefined || old === wire) return [];
    return Object.entries(wire)
      .filter(([field, value]) => !isDeepStrictEqual(value, old[field]))
      .map(([field, value]) => `${field} ${toEffect(value)}`);
  });
}

function toEffect(value: unknown): string {
  if (typeof value === 'boolean') return String(value);
  const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
  return isEmpty ? 'cleared' : 'set';
}
