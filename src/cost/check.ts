import {
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql';
import type { Prepared } from '../document/prepare.ts';
import { refusal } from '../document/refusal.ts';
import type { RequestedPage } from '../paging/cost.ts';
import { type Arguments, createArgumentReader } from './arguments.ts';
import type { Budget } from './budget.ts';
import { estimateCost, type PricedOperation } from './estimate.ts';
import { countIntrospection } from './introspection.ts';
import { createNumbering } from './numbering.ts';
import {
  type AnswerSize,
  countGivenIds,
  countObjects,
  OBJECTS_PER_GIVEN_ID,
} from './objects.ts';
import type { Cost } from './tally.ts';
import { maxVariableErrors } from './variables.ts';

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

/** An operation of a prepared document, as the client sent it. */
export interface RequestedOperation {
  readonly operation: OperationDefinitionNode;
  /** Not coerced yet. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** What the check of an operation prepares for its execution. */
export interface Checkable {
  readonly budget: Budget;
  /** The page that each list field asks for: its arguments are read once, here. */
  readonly pages: Map<FieldNode, RequestedPage>;
  /** Learns how large the answer may be. */
  readonly turns: { expect(size: AnswerSize): void };
}

declare const checked: unique symbol;

/** An operation that may be executed. Only `createCheck` makes one. */
export interface Checked extends RequestedOperation {
  readonly [checked]: true;
  readonly document: Prepared['document'];
  /** The errors of its variables; if there are any, nothing is executed. */
  readonly variableErrors: readonly GraphQLError[];
}

/** An item holds a few objects, such as a contact and reactions, so an answer whose every page costs a call stays below this. */
const OBJECTS_PER_ITEM = 10;
/** A link takes the memory of this many objects. */
const OBJECTS_PER_LINK = 6;
/**
 * This many links are always allowed: three hundred lists under each of a hundred items, and the lists around them. They
 * take up to 200 MB.
 */
const MIN_LINKS = 90_100;
/** About twenty times the whole schema. Tools read the schema once. */
const MAX_INTROSPECTED = 50_000;

/** Prices operations before their first call, opens the budget of those within the limits, and throws for the others. */
export function createCheck({ schema, requestPage, ...limits }: CheckOptions) {
  return (
    { document, fragments }: Prepared,
    requested: RequestedOperation,
    { budget, pages, turns }: Checkable,
  ): Checked => {
    const { operation, variables } = requested;
    const toChecked = (variableErrors: readonly GraphQLError[]) =>
      ({ ...requested, document, variableErrors }) as Checked;
    const definitions = operation.variableDefinitions ?? [];
    const { coerced, errors } = getVariableValues(schema, definitions, variables, {
      maxErrors: maxVariableErrors(variables),
    });
    // The budget stays closed.
    if (coerced === undefined) return toChecked(errors);
    const selection = { fragments, variableValues: coerced };
    const argumentsOf = createArgumentReader(selection);
    const numberOf = createNumbering();
    const distinctPages = new Map<string, RequestedPage>();
    const pageOf = (field: FieldNode, args: Arguments): RequestedPage => {
      const known = pages.get(field);
      if (known !== undefined) return known;
      // Equal arguments ask for one page, so that it is read and checked once, however many aliases it has.
      const { first, after, last, before } = args;
      const key = [first, after, last, before].map(numberOf).join();
      const page = distinctPages.get(key) ?? requestPage(args);
      distinctPages.set(key, page);
      pages.set(field, page);
      return page;
    };
    const priced = { schema, operation, selection, argumentsOf, pageOf };
    const { cost, answer } = judgeValid(priced, limits);
    budget.open(cost, limits.maxCalls);
    turns.expect(answer);
    return toChecked([]);
  };
}

/** Judges an operation; throws a refusal if `@skip` or `@include` has no value, which only variables show. */
function judgeValid(priced: PricedOperation, limits: CostLimits): Judged {
  try {
    return judge(priced, limits);
  } catch (error) {
    if (!(error instanceof GraphQLError) || error.extensions.code !== undefined)
      throw error;
    throw refusal('BAD_USER_INPUT', error.message);
  }
}

interface Judged {
  readonly cost: Cost;
  readonly answer: AnswerSize;
}

/** The cost of an operation; throws if it, or the answer, would be too large. */
function judge(priced: PricedOperation, { maxCalls, maxPageSize }: CostLimits): Judged {
  const maxObjects = maxCalls * maxPageSize * OBJECTS_PER_ITEM;
  // Pricing reads every id, so they are counted first: one variable of thousands may be given to hundreds of fields.
  const ids = countGivenIds(priced);
  if (ids * OBJECTS_PER_GIVEN_ID > maxObjects)
    throw tooManyObjects(ids, ids * OBJECTS_PER_GIVEN_ID, maxObjects);
  const cost = estimateCost(priced);
  if (cost.expected > maxCalls) throw tooManyCalls(cost, maxCalls);
  const answer = countObjects(priced);
  const { objects, links } = answer;
  if (objects > maxObjects) throw tooManyObjects(cost.expected, objects, maxObjects);
  const maxLinks = Math.max(MIN_LINKS, Math.floor(maxObjects / OBJECTS_PER_LINK));
  if (links > maxLinks) throw tooManyLinks(cost, links, maxLinks);
  if (countIntrospection(priced, MAX_INTROSPECTED) > MAX_INTROSPECTED) {
    throw tooMuchIntrospection(cost);
  }
  return { cost, answer };
}

function tooManyCalls({ expected, mostExpensive }: Cost, limit: number): GraphQLError {
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
    `The answer to this operation may hold ${objects} objects; ${limit} are allowed (${OBJECTS_PER_ITEM} for each item of MAX_REST_CALLS pages of MAX_PAGE_SIZE): nest fewer lists in one another.`,
    { estimated, objects, limit },
  );

const tooManyLinks = ({ expected }: Cost, links: number, limit: number) =>
  tooCostly(
    `This operation may follow ${links} links and lists; ${limit} are allowed, and a list counts as several: nest fewer in one another.`,
    { estimated: expected, links, limit },
  );

const tooMuchIntrospection = ({ expected }: Cost) =>
  tooCostly(
    `The answer to this operation would hold more than ${MAX_INTROSPECTED} values of the schema: read the schema once.`,
    { estimated: expected, limit: MAX_INTROSPECTED },
  );

const tooCostly = (message: string, cost: Readonly<Record<string, number>>) =>
  refusal('OPERATION_TOO_COSTLY', message, { cost });
