import { type FieldNode, type GraphQLField, visit } from 'graphql';
import type { Arguments, ReadArguments } from '../document/arguments.ts';
import type { Selection } from '../document/selection.ts';
import { costOf } from './declaration.ts';

/**
 * Prices that hold for many requests, by what the requests select. Most operations cost the same whatever their variables
 * are, because the values travel in a form, or name one object.
 */
export interface KnownPrices<Price> {
  /** The price of a request; `work` works it out if it is not known, with the arguments that it may read. */
  priceOf(
    selection: Selection,
    argumentsOf: ReadArguments,
    work: (argumentsOf: ReadArguments) => Price,
  ): Price;
}

/** A field whose arguments a price depends on. */
interface Consulted {
  readonly definition: GraphQLField<unknown, unknown>;
  readonly field: FieldNode;
}

/** What one selection costs: the same for all requests; or by the type, one of the schema's, of the one object that a variable names. */
interface Known<Price> {
  readonly byType: Map<string, Price>;
  readonly fetched: Consulted | null;
}

/** The price depends on variables in another way, and is worked out for each request. */
const VARIES = Symbol();
const ANY_TYPE = '';

export function createKnownPrices<Price>(): KnownPrices<Price> {
  const all = new WeakMap<Selection, Known<Price> | typeof VARIES>();
  return {
    priceOf(selection, argumentsOf, work) {
      const known = all.get(selection);
      if (known === VARIES) return work(argumentsOf);
      const price = known?.byType.get(typeOf(known.fetched, argumentsOf));
      if (price !== undefined) return price;
      const consulted = new Map<FieldNode, Consulted>();
      const fresh = work((definition, field) => {
        consulted.set(field, { definition, field });
        return argumentsOf(definition, field);
      });
      const fetched = fetchedOf([...consulted.values()], argumentsOf);
      if (fetched === VARIES) all.set(selection, VARIES);
      else {
        const byType = known?.byType ?? new Map<string, Price>();
        all.set(selection, { byType, fetched });
        byType.set(typeOf(fetched, argumentsOf), fresh);
      }
      return fresh;
    },
  };
}

/** The field that fetches one object named by a variable; null if no argument that counts has a variable. */
function fetchedOf(
  consulted: readonly Consulted[],
  argumentsOf: ReadArguments,
): Consulted | null | typeof VARIES {
  if (!consulted.some(({ field }) => hasVariable(field))) return null;
  const [one] = consulted;
  // Two fields may name the same object, so their price depends on whether they do.
  if (one === undefined || consulted.length > 1) return VARIES;
  const cost = costOf(one.definition);
  const isOne = cost?.kind === 'fetch' && !Array.isArray(idIn(one, argumentsOf));
  return isOne ? one : VARIES;
}

function hasVariable({ arguments: given = [] }: FieldNode): boolean {
  let found = false;
  for (const argument of given) {
    visit(argument, {
      Variable() {
        found = true;
      },
    });
  }
  return found;
}

function typeOf(fetched: Consulted | null, argumentsOf: ReadArguments): string {
  const cost = fetched && costOf(fetched.definition);
  if (fetched === null || cost?.kind !== 'fetch') return ANY_TYPE;
  return cost.read(idIn(fetched, argumentsOf))?.type ?? ANY_TYPE;
}

function idIn({ definition, field }: Consulted, argumentsOf: ReadArguments): unknown {
  const cost = costOf(definition);
  const args: Arguments = argumentsOf(definition, field);
  return cost?.kind === 'fetch' ? args[cost.argument] : undefined;
}
