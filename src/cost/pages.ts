import type { FieldNode, GraphQLObjectType } from 'graphql';
import type { Arguments, ReadArguments } from '../document/arguments.ts';
import type { PageSize, PricedPage, RequestedPage } from '../paging/cost.ts';
import { BadPageError } from '../paging/errors.ts';
import { costOf, type FirstCost } from './declaration.ts';

export const PAGE_ARGUMENTS: readonly string[] = [
  'first',
  'after',
  'last',
  'before',
  'order',
];

interface PagesOptions {
  readonly argumentsOf: ReadArguments;
  /** The page that the arguments of a list ask for, or why it is refused. */
  readonly requestPage: (args: Arguments, size?: PageSize) => RequestedPage;
  /** Numbers values, equal ones alike, so that keys are short however long the values are. */
  readonly numberOf: (value: unknown) => number;
}

/** A field with a `FirstCost`, and all that are selected beside it. */
interface FirstField {
  readonly cost: FirstCost;
  readonly field: FieldNode;
  readonly parent: GraphQLObjectType;
  readonly beside: readonly FieldNode[];
}

/** The first pages of one list that the fields of one selection need. */
interface Beginning {
  /** The longest that is selected as a list, the newest first if there is one of these; null: none is selected. */
  readonly listed: PricedPage | null;
  /** The longest that fields with a `FirstCost` need. */
  readonly needed: PricedPage | null;
}

/** The pages that the fields of one operation read. Equal pages are one object, so that each is read once. */
export class OperationPages {
  readonly byField = new Map<FieldNode, RequestedPage>();
  readonly #options: PagesOptions;
  readonly #byArguments = new Map<string, RequestedPage>();
  readonly #distinct = new Map<string, PricedPage>();
  readonly #beginnings = new Map<readonly FieldNode[], Map<string, Beginning>>();

  constructor(options: PagesOptions) {
    this.#options = options;
  }

  /** The page of a list field. It is checked once, however many aliases ask for it. */
  ofList(field: FieldNode, args: Arguments): RequestedPage {
    const page = this.#request(args);
    this.byField.set(field, page);
    return page;
  }

  /** The page that a field with a `FirstCost` reads. In a fragment at several places, it reads that of the first place. */
  ofFirst(wanted: FirstField): RequestedPage {
    const known = this.byField.get(wanted.field);
    if (known !== undefined) return known;
    const own = this.#requestAlone(wanted);
    const page = own instanceof BadPageError ? own : this.#share(wanted, own);
    this.byField.set(wanted.field, page);
    return page;
  }

  /** The page of a list field beside it, if it is as long as the field's own; otherwise, one for all such fields. */
  #share(wanted: FirstField, own: PricedPage): RequestedPage {
    const { args, needs } = wanted.cost;
    const { listed, needed } = this.#beginningOf(wanted);
    if (listed !== null && (needs === undefined || listed.size >= own.size))
      return this.#request({ ...args, first: listed.size });
    return needed ?? own;
  }

  #beginningOf({ cost: { list }, parent, beside }: FirstField): Beginning {
    const known = this.#beginnings.get(beside)?.get(list);
    if (known !== undefined) return known;
    let listed: PricedPage | null = null;
    let needed: PricedPage | null = null;
    for (const field of beside) {
      const definition = parent.getFields()[field.name.value];
      if (definition === undefined) continue;
      const cost = costOf(definition);
      if (field.name.value === list) {
        const page = this.#request(this.#options.argumentsOf(definition, field));
        if (!(page instanceof BadPageError) && begins(page))
          listed = better(page, listed);
      } else if (cost?.kind === 'first' && cost.list === list) {
        const page = this.#requestAlone({ cost, field, parent, beside });
        if (!(page instanceof BadPageError)) needed = better(page, needed);
      }
    }
    const byList = this.#beginnings.get(beside) ?? new Map<string, Beginning>();
    this.#beginnings.set(beside, byList.set(list, { listed, needed }));
    return { listed, needed };
  }

  /** The page that a field with a `FirstCost` needs by itself. */
  #requestAlone({ cost: { args, needs }, field, parent }: FirstField): RequestedPage {
    const definition = parent.getFields()[field.name.value];
    const given = definition && this.#options.argumentsOf(definition, field);
    const first = needs?.argument === undefined ? null : given?.[needs.argument];
    return this.#request({ ...args, first }, needs);
  }

  #request(args: Arguments, needs?: PageSize): RequestedPage {
    const { numberOf, requestPage } = this.#options;
    const given = [...PAGE_ARGUMENTS.map((name) => args[name]), needs];
    const key = given.map(numberOf).join();
    const page = this.#byArguments.get(key) ?? this.#toDistinct(requestPage(args, needs));
    this.#byArguments.set(key, page);
    return page;
  }

  /** Arguments that are left out, null or given may ask for the same page. */
  #toDistinct(page: RequestedPage): RequestedPage {
    if (page instanceof BadPageError) return page;
    const { isForward, size, cursor, isNewestFirst } = page;
    const key = [isForward, size, this.#options.numberOf(cursor), isNewestFirst].join();
    const known = this.#distinct.get(key) ?? page;
    this.#distinct.set(key, known);
    return known;
  }
}

const begins = ({ isForward, cursor }: PricedPage): boolean =>
  isForward && cursor === null;

/** Of two pages that begin a list, the one with the newest first, or else the longer one. */
function better(one: PricedPage, other: PricedPage | null): PricedPage {
  if (other === null) return one;
  if (one.isNewestFirst !== other.isNewestFirst) return one.isNewestFirst ? one : other;
  return one.size > other.size ? one : other;
}
