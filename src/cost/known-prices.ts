import type { FieldNode, GraphQLField } from 'graphql';
import { holdsVariable, type ReadArguments } from '../document/arguments.ts';
import type { Selection } from '../document/selection.ts';
import { costOf, isKeyed } from './declaration.ts';
import type { Price } from './price.ts';

export type FieldDefinition = GraphQLField<unknown, unknown>;

/** The prices of one selection: one for all requests, or one for each kind of them. */
interface Known {
  readonly byKind: Map<string, Price>;
  readonly toKind: ToKind;
}

/** The kind of a request: the type of the object that a variable names, or whether a write has a key. */
type ToKind = (argumentsOf: ReadArguments) => string;

/** The price depends on variables in another way, and is worked out for each request. */
const VARIES = Symbol();
/** All requests, or those that name no type or have no key. */
const ANY = '';
const KEYED = 'keyed';

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
    const kept = known?.byKind.get(known.toKind(argumentsOf));
    if (kept !== undefined) return kept;
    const consulted = new Map<FieldNode, FieldDefinition>();
    const price = work((definition, field) => {
      consulted.set(field, definition);
      return argumentsOf(definition, field);
    });
    const toKind = toKindReader([...consulted], argumentsOf);
    if (toKind === VARIES) {
      this.#bySelection.set(selection, VARIES);
      return price;
    }
    const byKind = known?.byKind ?? new Map<string, Price>();
    byKind.set(toKind(argumentsOf), price);
    this.#bySelection.set(selection, { byKind, toKind });
    return price;
  }
}

/** `consulted`: the fields whose arguments the price depends on. */
function toKindReader(
  consulted: readonly (readonly [FieldNode, FieldDefinition])[],
  argumentsOf: ReadArguments,
): ToKind | typeof VARIES {
  const hasVariable = consulted.some(([{ arguments: given }]) =>
    given?.some(({ value }) => holdsVariable(value)),
  );
  const [one] = consulted;
  if (!hasVariable || one === undefined) return () => ANY;
  const [field, definition] = one;
  const cost = costOf(definition);
  // Two fields may name the same object, so their price depends on whether they do.
  if (consulted.length > 1) return VARIES;
  if (cost?.kind === 'write')
    return (given) => (isKeyed(given(definition, field)) ? KEYED : ANY);
  if (cost?.kind !== 'fetch') return VARIES;
  if (Array.isArray(argumentsOf(definition, field)[cost.argument])) return VARIES;
  return (given) => cost.read(given(definition, field)[cost.argument])?.type ?? ANY;
}
