import { fieldsBelow, mutationType } from '../oracle/schema.ts';
import { EFFECTS } from './effects.ts';
import { everyWay } from './input-coverage.ts';

/** Everything that random mutations must have exercised, or they have proved nothing. */
export const everything = (): readonly string[] => [
  ...fieldsBelow(mutationType),
  ...everyWay(),
  ...everyOutcome(),
  ...EFFECTS,
  TWIN,
];

/** One mutation was asked for twice in one operation. */
export const TWIN = 'twin';

/** Done, refused by the gateway, or refused by the service. */
function everyOutcome(): string[] {
  const fields = Object.keys(mutationType.getFields());
  const ends = (some: readonly string[], end: string) =>
    some.map((field) => `${field}: ${end}`);
  const namesObject = (field: string) => field !== 'createConversation';
  const takesFields = (field: string) => !field.startsWith('delete');
  return [
    ...ends(fields, 'done'),
    ...ends(fields, 'refused, unsent'),
    ...ends(fields.filter(namesObject), 'NOT_FOUND'),
    ...ends(fields.filter(takesFields), 'BAD_USER_INPUT'),
    ...ends(['sendMessage', 'updateConversation'], 'CONFLICT'),
  ];
}
