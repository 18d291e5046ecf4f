import type { FieldNode, GraphQLField } from 'graphql';
import { holdsVariable, type ReadArguments } from '../document/arguments.ts';
import type { Selection } from '../document/selection.ts';
import { costOf } from './declaration.ts';
import type { Price } from './price.ts';

/** A field whose arguments a price depends on. */
interface Consulted {
  readonly definition: GraphQLField<unknown, unknown>;
  readonly field: FieldNode;
}

/** The price of one selection: one for all requests; or one for each type of the object that a variable names. */
interface Known {
  readonly byType: Map<string, Price>;
  readonly fetched: Consulted | null;
}

/** The price depends on variables in another way, and is worked out for each request. */
const VARIES = Symbol();
const ANY_TYPE = '';

/**
 * Prices that hold for many requests, by what the requests select. Most operations cost the same whatever their variables
 * are, because the values travel in a form, or name one object.
 */
export class KnownPrices {
  readonly #bySelection = new WeakMap<Selection, Known | typeof VARIES>();

  /** The price of a request, if it is known. */
  find(selection: Selection, argumentsOf: ReadArguments): Price | undefined {
    const known = this.#bySelection.get(selection);
    if (known === undefined || known === VARIES) return undefined;
    return known.byType.get(typeOf(known.fetched, argumentsOf));
  }

  /** Works out the price of a request, with the arguments that it may read, and keeps it for the requests it holds for. */
  add(
    selection: Selection,
    argumentsOf: ReadArguments,
    work: (argumentsOf: ReadArguments) => Price,
  ): Price {
    const known = this.#bySelection.get(selection);
    if (known === VARIES) return work(argumentsOf);
    const consulted = new Map<FieldNode, Consulted>();
    const price = work((definition, field) => {
      consulted.set(field, { definition, field });
      return argumentsOf(definition, field);
    });
    const fetched = fetchedOf([...consulted.values()], argumentsOf);
    if (fetched === VARIES) {
      this.#bySelection.set(selection, VARIES);
      return price;
    }
    const byType = known?.byType ?? new Map<string, Price>();
    byType.set(typeOf(fetched, argumentsOf), price);
    this.#bySelection.set(selection, { byType, fetched });
    return price;
  }
}

/** The field that fetches one object named by a variable; null if no argument that counts has a variable. */
function fetchedOf(
  consulted: readonly Consulted[],
  argumentsOf: ReadArguments,
): Consulted | null | typeof VARIES {
  const hasVariable = consulted.some(({ field }) =>
    field.arguments?.some(({ value }) => holdsVariable(value)),
  );
  if (!hasVariable) return null;
  const [one] = consulted;
  // Two fields may name the same object, so their price depends on whether they do.
  if (one === undefined || consulted.length > 1) return VARIES;
  const isFetch = costOf(one.definition)?.kind === 'fetch';
  return isFetch && !Array.isArray(idIn(one, argumentsOf)) ? one : VARIES;
}

function typeOf(fetched: Consulted | null, argumentsOf: ReadArguments): string {
  const cost = fetched && costOf(fetched.definition);
  if (fetched === null || cost?.kind !== 'fetch') return ANY_TYPE;
  return cost.read(idIn(fetched, argumentsOf))?.type ?? ANY_TYPE;
}

function idIn({ definition, field }: Consulted, argumentsOf: ReadArguments): unknown {
  const cost = costOf(definition);
  return cost?.kind === 'fetch'
    ? argumentsOf(definition, field)[cost.argument]
    : undefined;
}
