import type { FieldNode, GraphQLField, GraphQLObjectType } from 'graphql';
import type { Arguments, ReadArguments } from '../document/arguments.ts';
import type { RequestedPage } from '../paging/cost.ts';
import { BadPageError } from '../paging/errors.ts';
import { costOf, type FirstCost } from './declaration.ts';

export type Page = Exclude<RequestedPage, BadPageError>;

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
  readonly requestPage: (args: Arguments) => RequestedPage;
  /** A number that stands for a value. */
  readonly numberOf: (value: unknown) => number;
}

/** A field with a `FirstCost`, and all that are selected beside it. */
export interface FirstField {
  readonly cost: FirstCost;
  readonly field: FieldNode;
  readonly parent: GraphQLObjectType;
  readonly beside: readonly FieldNode[];
}

/** The pages of one list that fields which are selected together begin with. */
interface Beginning {
  /** That of a list field; null if none is selected. */
  readonly listed: Page | null;
  /** What the fields with a `FirstCost` need together: the longest of their pages. */
  readonly needed: Arguments;
}

/** The pages that the fields of one operation read. Equal pages are one object, so that each is read once. */
export class OperationPages {
  readonly byField = new Map<FieldNode, RequestedPage>();
  readonly #options: PagesOptions;
  readonly #byArguments = new Map<string, RequestedPage>();
  readonly #distinct = new Map<string, Page>();
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
  ofFirst(first: FirstField): RequestedPage {
    const known = this.byField.get(first.field);
    if (known !== undefined) return known;
    const own = this.#request(this.#needs(first));
    const page = own instanceof BadPageError ? own : this.#share(first, own);
    this.byField.set(first.field, page);
    return page;
  }

  /** The page of a list field beside it, if it is as long as the field's own; otherwise, one for all such fields. */
  #share(first: FirstField, { size }: Page): RequestedPage {
    const { listed, needed } = this.#beginningOf(first);
    const isEnough =
      listed !== null && (first.cost.count === undefined || listed.size >= size);
    const { args } = first.cost;
    return this.#request(isEnough ? { ...args, first: listed.size } : needed);
  }

  #beginningOf({ cost, parent, beside }: FirstField): Beginning {
    const known = this.#beginnings.get(beside)?.get(cost.list);
    if (known !== undefined) return known;
    const { argumentsOf } = this.#options;
    const listed: Page[] = [];
    let needed: Arguments = { ...cost.args };
    let longest = 0;
    for (const field of beside) {
      const definition = parent.getFields()[field.name.value];
      const other = definition && costOf(definition);
      if (definition === undefined) continue;
      if (field.name.value === cost.list) {
        const page = this.#request(argumentsOf(definition, field));
        const begins =
          !(page instanceof BadPageError) && page.isForward && page.cursor === null;
        if (begins) listed.push(page);
      } else if (other?.kind === 'first' && other.list === cost.list) {
        const args = this.#needs({ cost: other, field, parent, beside });
        const page = this.#request(args);
        if (page instanceof BadPageError || page.size <= longest) continue;
        longest = page.size;
        needed = args;
      }
    }
    const best = listed.find(({ isNewestFirst }) => isNewestFirst) ?? listed[0] ?? null;
    const beginning = { listed: best, needed };
    const byList = this.#beginnings.get(beside) ?? new Map<string, Beginning>();
    this.#beginnings.set(beside, byList.set(cost.list, beginning));
    return beginning;
  }

  /** The page that a field needs by itself. */
  #needs({ cost: { args, count }, field, parent }: FirstField): Arguments {
    if (count === undefined) return { ...args };
    const definition = parent.getFields()[field.name.value] as GraphQLField<
      unknown,
      unknown
    >;
    const given = this.#options.argumentsOf(definition, field)[count.argument];
    return { ...args, first: given ?? count.otherwise, sizeArgument: count.argument };
  }

  #request(args: Arguments): RequestedPage {
    const { numberOf, requestPage } = this.#options;
    const given = [...PAGE_ARGUMENTS, 'sizeArgument']
      .map((name) => numberOf(args[name]))
      .join();
    const page = this.#byArguments.get(given) ?? this.#toDistinct(requestPage(args));
    this.#byArguments.set(given, page);
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
