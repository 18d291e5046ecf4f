import {
  type FieldNode,
  type GraphQLError,
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
import { countObjects } from './objects.ts';
import type { Cost } from './tally.ts';

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
}

declare const checked: unique symbol;

/** An operation that may be executed. Only `createCheck` makes one. */
export interface Checked extends RequestedOperation {
  readonly [checked]: true;
  readonly document: Prepared['document'];
}

/** An item holds a few objects, such as a contact and reactions, so an answer whose every page costs a call stays below this. */
const OBJECTS_PER_ITEM = 10;
/** About twenty times the whole schema. Tools read the schema once. */
const MAX_INTROSPECTED = 50_000;

/** Prices operations before their first call, opens the budget of those within the limits, and throws for the others. */
export function createCheck({ schema, requestPage, ...limits }: CheckOptions) {
  return (
    { document, fragments }: Prepared,
    requested: RequestedOperation,
    { budget, pages }: Checkable,
  ): Checked => {
    const { operation, variables } = requested;
    const allowed = { ...requested, document } as Checked;
    const { coerced } = getVariableValues(
      schema,
      operation.variableDefinitions ?? [],
      variables,
      { maxErrors: 1 },
    );
    // Without valid variables execution ends before the first resolver, and the budget stays closed.
    if (coerced === undefined) return allowed;
    const selection = { fragments, variableValues: coerced };
    const argumentsOf = createArgumentReader(selection);
    const pageOf = (field: FieldNode, args: Arguments): RequestedPage => {
      const page = pages.get(field) ?? requestPage(args);
      pages.set(field, page);
      return page;
    };
    const cost = judge({ schema, operation, selection, argumentsOf, pageOf }, limits);
    budget.open(cost, limits.maxCalls);
    return allowed;
  };
}

/** The cost of an operation; throws if it, or the answer, would be too large. */
function judge(priced: PricedOperation, { maxCalls, maxPageSize }: CostLimits): Cost {
  const cost = estimateCost(priced);
  if (cost.expected > maxCalls) throw tooManyCalls(cost, maxCalls);
  const objects = countObjects(priced);
  const maxObjects = maxCalls * maxPageSize * OBJECTS_PER_ITEM;
  if (objects > maxObjects) throw tooManyObjects(cost, objects, maxObjects);
  if (countIntrospection(priced, MAX_INTROSPECTED) > MAX_INTROSPECTED) {
    throw tooMuchIntrospection(cost);
  }
  return cost;
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
const tooManyObjects = ({ expected }: Cost, objects: number, limit: number) =>
  tooCostly(
    `The answer to this operation may hold ${objects} objects; ${limit} are allowed (${OBJECTS_PER_ITEM} for each item of MAX_REST_CALLS pages of MAX_PAGE_SIZE): nest fewer lists in one another.`,
    { estimated: expected, objects, limit },
  );

const tooMuchIntrospection = ({ expected }: Cost) =>
  tooCostly(
    `The answer to this operation would hold more than ${MAX_INTROSPECTED} values of the schema: read the schema once.`,
    { estimated: expected, limit: MAX_INTROSPECTED },
  );

const tooCostly = (message: string, cost: Readonly<Record<string, number>>) =>
  refusal('OPERATION_TOO_COSTLY', message, { cost });
