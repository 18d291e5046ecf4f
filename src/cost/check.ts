import { type FieldNode, GraphQLError, type GraphQLSchema } from 'graphql';
import {
  type Arguments,
  createArgumentReader,
  type ReadArguments,
} from '../document/arguments.ts';
import type { Plan } from '../document/plan.ts';
import type { Refusals } from '../document/prepare.ts';
import { refusal } from '../document/refusal.ts';
import type { Selection } from '../document/selection.ts';
import type { PageSize, RequestedPage } from '../paging/cost.ts';
import type { Budget } from './budget.ts';
import { MAX_SCHEMA_READS, readsSchemaTooOften } from './introspection.ts';
import { KnownPrices } from './known-prices.ts';
import { type Price, type PricedOperation, priceOperation } from './price.ts';

interface CostLimits {
  /** REST calls that an operation may make. */
  readonly maxCalls: number;
  /** Unit: items. */
  readonly maxPageSize: number;
}

export interface CheckOptions extends CostLimits {
  readonly schema: GraphQLSchema;
  readonly requestPage: (args: Arguments, size?: PageSize) => RequestedPage;
}

/** The parts of a context that the check prepares for the execution. */
export interface Checkable {
  readonly budget: Budget;
  /** The page that each list field asks for: its arguments are read once, here. */
  pages: ReadonlyMap<FieldNode, RequestedPage>;
  /** `reservePriced` receives how many objects and values the answer may hold. */
  readonly listQuota: { reservePriced(objects: number): void };
}

/** An operation that may be executed, with what was read of its request. */
export interface Checked {
  readonly plan: Plan;
  /** As the client sent them. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly variableValues: Record<string, unknown>;
  readonly selection: Selection;
  readonly argumentsOf: ReadArguments;
  readonly price: Price;
}

/** Most items hold fewer objects than this, such as a contact and reactions. So an answer is too large only if links repeat items. */
const OBJECTS_PER_ITEM = 10;
/** A link takes the memory of this many objects. */
const OBJECTS_PER_LINK = 6;
/**
 * This many links are always allowed: three hundred lists under each of a hundred items, and the lists around them. They
 * take up to 200 MB.
 */
const MIN_LINKS = 90_100;

/** Prices operations before their first call. Opens the budget of those within the limits, and refuses the others. */
export function createCheck({ schema, requestPage, ...limits }: CheckOptions) {
  const knownPrices = new KnownPrices();

  return (
    plan: Plan,
    variables: Checked['variables'],
    context: Checkable,
  ): Checked | Refusals => {
    const { values, errors } = plan.readVariables(variables);
    // The budget stays closed.
    if (values === undefined) return errors;
    const { operation } = plan;
    const selection = plan.selectionFor(values);
    const argumentsOf = createArgumentReader(plan.plannedArguments, values);
    const valid = noneIfInvalid(argumentsOf);
    let price: Price;
    try {
      price = knownPrices.of(selection, valid, (read) =>
        judge({ schema, operation, selection, argumentsOf: read, requestPage }, limits),
      );
      context.pages = price.pages;
      context.budget.open(price, limits.maxCalls);
      context.listQuota.reservePriced(price.objects);
    } catch (error) {
      if (error instanceof GraphQLError) return [withCode(error)];
      throw error;
    }
    return { plan, variables, variableValues: values, selection, argumentsOf, price };
  };
}

/** graphql's error for a `@skip` or `@include` without a value, which only variables show, has no code. */
const withCode = (error: GraphQLError): GraphQLError =>
  error.extensions.code === undefined ? refusal('BAD_USER_INPUT', error.message) : error;

/** Reads invalid arguments as `{}`: they cost nothing, because execution refuses their field before any call. */
function noneIfInvalid(argumentsOf: ReadArguments): ReadArguments {
  let invalid: Set<FieldNode> | null = null;
  return (definition, field) => {
    if (invalid?.has(field)) return {};
    try {
      return argumentsOf(definition, field);
    } catch {
      invalid ??= new Set();
      invalid.add(field);
      return {};
    }
  };
}

/** The price of an operation; throws if it, or the answer, would be too large. */
function judge(
  operation: Omit<PricedOperation, 'maxObjects'>,
  { maxCalls, maxPageSize }: CostLimits,
): Price {
  const maxObjects = maxCalls * maxPageSize * OBJECTS_PER_ITEM;
  const priced = { ...operation, maxObjects };
  const price = priceOperation(priced);
  const { expected, objects, links } = price;
  if (expected > maxCalls) throw tooManyCalls(price, maxCalls);
  if (objects > maxObjects) throw tooManyObjects(expected, objects, maxObjects);
  const maxLinks = Math.max(MIN_LINKS, Math.floor(maxObjects / OBJECTS_PER_LINK));
  if (links > maxLinks) throw tooManyLinks(expected, links, maxLinks);
  if (readsSchemaTooOften(priced)) throw tooManySchemaReads(expected);
  return price;
}

function tooManyCalls({ expected, calls }: Price, limit: number): GraphQLError {
  const [most] = [...calls].toSorted(([, a], [, b]) => b.expected - a.expected);
  const where = most
    ? ` Most of them, ${most[1].expected}, are for \`${most[0]}\`: ask for fewer there.`
    : '';
  return tooCostly(
    `This operation may need ${expected} calls to the service; ${limit} are allowed (MAX_REST_CALLS).${where}`,
    { estimated: expected, limit },
  );
}

/** Links back to known objects cost no call, so the limit on calls does not limit the size of the answer. */
const tooManyObjects = (estimated: number, objects: number, limit: number) =>
  tooCostly(
    `The answer to this operation may hold ${objects} objects; ${limit} are allowed (MAX_REST_CALLS * MAX_PAGE_SIZE * ${OBJECTS_PER_ITEM}). Nest fewer lists in one another.`,
    { estimated, objects, limit },
  );

const tooManyLinks = (estimated: number, links: number, limit: number) =>
  tooCostly(
    `This operation may follow ${links} links and lists; ${limit} are allowed, and a list counts as several. Nest fewer lists and links in one another.`,
    { estimated, links, limit },
  );

const tooManySchemaReads = (estimated: number) =>
  tooCostly(
    `The answer to this operation would hold more than ${MAX_SCHEMA_READS} times the whole schema: read it once.`,
    { estimated, limit: MAX_SCHEMA_READS },
  );

const tooCostly = (message: string, cost: Readonly<Record<string, number>>) =>
  refusal('OPERATION_TOO_COSTLY', message, { cost });
