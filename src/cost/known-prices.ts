import type { FieldNode, GraphQLField } from 'graphql';
import { holdsVariable, type ReadArguments } from '../document/arguments.ts';
import type { Selection } from '../document/selection.ts';
import { costOf } from './declaration.ts';
import type { Price } from './price.ts';

export type FieldDefinition = GraphQLField<unknown, unknown>;

/** The prices of one selection: one for all requests; or one for each type of the object that a variable names. */
interface Known {
  readonly byType: Map<string, Price>;
  readonly toType: ToType;
}

/** The type of the object that a request names. */
type ToType = (argumentsOf: ReadArguments) => string;

/** The price depends on variables in another way, and is worked out for each request. */
const VARIES = Symbol();
const ANY_TYPE = '';

/**
 * Prices that hold for many requests, by what the requests select. Most operations cost the same whatever their variables
 * are, because the values travel in a form, or name one object.
 */
export class KnownPrices {
  readonly #bySelection = new WeakMap<Selection, Known | typeof VARIES>();

  /** The price of a request. If it is not known, `work` finds it, and it is kept for the requests it holds for. */
  of(
    selection: Selection,
    argumentsOf: ReadArguments,
    work: (argumentsOf: ReadArguments) => Price,
  ): Price {
    const known = this.#bySelection.get(selection);
    if (known === VARIES) return work(argumentsOf);
    const kept = known?.byType.get(known.toType(argumentsOf));
    if (kept !== undefined) return kept;
    const consulted = new Map<FieldNode, FieldDefinition>();
    const price = work((definition, field) => {
      consulted.set(field, definition);
      return argumentsOf(definition, field);
    });
    const toType = toTypeReader([...consulted], argumentsOf);
    if (toType === VARIES) {
      this.#bySelection.set(selection, VARIES);
      return price;
    }
    const byType = known?.byType ?? new Map<string, Price>();
    byType.set(toType(argumentsOf), price);
    this.#bySelection.set(selection, { byType, toType });
    return price;
  }
}

/** `consulted`: the fields whose arguments the price depends on. */
function toTypeReader(
  consulted: readonly (readonly [FieldNode, FieldDefinition])[],
  argumentsOf: ReadArguments,
): ToType | typeof VARIES {
  const hasVariable = consulted.some(([{ arguments: given }]) =>
    given?.some(({ value }) => holdsVariable(value)),
  );
  const [one] = consulted;
  if (!hasVariable || one === undefined) return () => ANY_TYPE;
  const [field, definition] = one;
  const cost = costOf(definition);
  // Two fields may name the same object, so their price depends on whether they do.
  if (consulted.length > 1 || cost?.kind !== 'fetch') return VARIES;
  if (Array.isArray(argumentsOf(definition, field)[cost.argument])) return VARIES;
  return (given) => cost.read(given(definition, field)[cost.argument])?.type ?? ANY_TYPE;
}
