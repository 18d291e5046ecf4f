import { type FieldNode, GraphQLError, type GraphQLSchema } from 'graphql';
import {
  type Arguments,
  createArgumentReader,
  type ReadArguments,
} from '../document/arguments.ts';
import type { Plan } from '../document/plan.ts';
import { refusal } from '../document/refusal.ts';
import type { Selection } from '../document/selection.ts';
import type { RequestedPage } from '../paging/cost.ts';
import type { Budget } from './budget.ts';
import { countIntrospection } from './introspection.ts';
import { KnownPrices } from './known-prices.ts';
import {
  countGivenIds,
  OBJECTS_PER_GIVEN_ID,
  type Price,
  type PricedOperation,
  priceOperation,
} from './price.ts';

interface CostLimits {
  /** REST calls that an operation may make. */
  readonly maxCalls: number;
  /** Unit: items. */
  readonly maxPageSize: number;
}

export interface CheckOptions extends CostLimits {
  readonly schema: GraphQLSchema;
  readonly requestPage: (args: Arguments) => RequestedPage;
}

/** A planned operation, as the client sent it. */
export interface RequestedOperation {
  readonly plan: Plan;
  /** Not coerced yet. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** What the check of an operation prepares for its execution. */
export interface Checkable {
  readonly budget: Budget;
  /** The page that each list field asks for: its arguments are read once, here. */
  pages: ReadonlyMap<FieldNode, RequestedPage>;
  /** `takePriced` receives how many objects and values the answer may hold. */
  readonly answerRoom: { takePriced(objects: number): void };
}

declare const checked: unique symbol;

/** An operation that may be executed. Only `createCheck` makes one. */
export interface Checked extends RequestedOperation {
  readonly [checked]: true;
  /** Null if its variables have errors: then nothing is executed. */
  readonly request: ReadRequest | null;
  readonly variableErrors: readonly GraphQLError[];
}

/** What was read of a request for its check. Its execution needs the same. */
export interface ReadRequest {
  readonly variableValues: Record<string, unknown>;
  readonly selection: Selection;
  readonly argumentsOf: ReadArguments;
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
/** About twenty times the whole schema. Tools read the schema once. */
const MAX_INTROSPECTED = 60_000;

/** Prices operations before their first call, opens the budget of those within the limits, and throws for the others. */
export function createCheck({ schema, requestPage, ...limits }: CheckOptions) {
  const knownPrices = new KnownPrices();

  return (requested: RequestedOperation, context: Checkable): Checked => {
    const { plan, variables } = requested;
    const { values, errors } = plan.readVariables(variables);
    // The budget stays closed.
    if (values === undefined) {
      return { ...requested, request: null, variableErrors: errors } as Checked;
    }
    const { operation } = plan;
    const selection = plan.selectionFor(values);
    const argumentsOf = createArgumentReader(plan.plannedArguments, values);
    const valid = noneIfInvalid(argumentsOf);
    const price =
      knownPrices.find(selection, valid) ??
      knownPrices.add(selection, valid, (read) => {
        const priced = { schema, operation, selection, argumentsOf: read, requestPage };
        return priceWithin(limits, priced);
      });
    context.pages = price.pages;
    context.budget.open(price, limits.maxCalls);
    context.answerRoom.takePriced(price.objects);
    const request: ReadRequest = { variableValues: values, selection, argumentsOf };
    return { ...requested, request, variableErrors: [] } as unknown as Checked;
  };
}

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

/** The price of an operation; throws if it, or the answer, would be too large, or if `@skip` or `@include` has no value. */
function priceWithin(limits: CostLimits, priced: PricedOperation): Price {
  try {
    return judge(limits, priced);
  } catch (error) {
    if (!(error instanceof GraphQLError) || error.extensions.code !== undefined)
      throw error;
    // Only the variables of a request show that a condition has no value.
    throw refusal('BAD_USER_INPUT', error.message);
  }
}

function judge({ maxCalls, maxPageSize }: CostLimits, priced: PricedOperation): Price {
  const maxObjects = maxCalls * maxPageSize * OBJECTS_PER_ITEM;
  // Pricing reads every id, so they are counted first: one variable of thousands may be given to hundreds of fields.
  const ids = countGivenIds(priced);
  if (ids * OBJECTS_PER_GIVEN_ID > maxObjects)
    throw tooManyObjects(ids, ids * OBJECTS_PER_GIVEN_ID, maxObjects);
  const price = priceOperation(priced);
  const { expected, objects, links } = price;
  if (expected > maxCalls) throw tooManyCalls(price, maxCalls);
  if (objects > maxObjects) throw tooManyObjects(expected, objects, maxObjects);
  const maxLinks = Math.max(MIN_LINKS, Math.floor(maxObjects / OBJECTS_PER_LINK));
  if (links > maxLinks) throw tooManyLinks(expected, links, maxLinks);
  if (countIntrospection(priced, MAX_INTROSPECTED) > MAX_INTROSPECTED)
    throw tooMuchIntrospection(expected);
  return price;
}

function tooManyCalls({ expected, mostExpensive }: Price, limit: number): GraphQLError {
  const where =
    mostExpensive === null
      ? ''
      : ` Most of them, ${mostExpensive.calls}, are for \`${mostExpensive.path}\`: ask for fewer there.`;
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

const tooMuchIntrospection = (estimated: number) =>
  tooCostly(
    `The answer to this operation would hold more than ${MAX_INTROSPECTED} values of the schema: read the schema once.`,
    { estimated, limit: MAX_INTROSPECTED },
  );

const tooCostly = (message: string, cost: Readonly<Record<string, number>>) =>
  refusal('OPERATION_TOO_COSTLY', message, { cost });
