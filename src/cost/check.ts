import type { ApolloServerPlugin } from '@apollo/server';
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import type { SelectionContext } from '../document/selection.ts';
import type { OperationContext } from '../operation/context.ts';
import { requestsExtension } from '../operation/extensions.ts';
import { estimateCost, type ListCostOf } from './estimate.ts';
import { countIntrospection } from './introspection.ts';
import { countObjects } from './objects.ts';
import type { Cost } from './tally.ts';

export interface CostOptions {
  readonly listCost: ListCostOf;
  /** REST calls an operation may make. */
  readonly maxCalls: number;
  /** Unit: items. */
  readonly maxPageSize: number;
}

/** A page of messages holds a contact, reactions and the like for each; so an answer of pages alone stays below. */
const OBJECTS_PER_ITEM = 10;
/** The schema some twenty times whole. Tools read it once. */
const MAX_INTROSPECTED = 50_000;

/**
 * Prices every operation before its first call, refuses what is too dear, and opens its budget. Who asks for it is told
 * the price and what was spent, in `extensions.cost`.
 */
export function costPlugin(options: CostOptions): ApolloServerPlugin<OperationContext> {
  const { listCost, maxCalls, maxPageSize } = options;
  const maxObjects = maxCalls * maxPageSize * OBJECTS_PER_ITEM;
  return {
    async requestDidStart() {
      let isAllowed = false;
      return {
        async didResolveOperation({
          schema,
          document,
          operation,
          request,
          contextValue,
        }) {
          const selectionContext = toSelectionContext(
            schema,
            document,
            operation,
            request.variables,
          );
          // Variables that do not fit: nothing will be executed.
          if (operation === undefined || selectionContext === null) return;
          const price = estimateCost({
            schema,
            operation,
            selectionContext,
            listCost,
            maxPageSize,
          });
          if (price.base > maxCalls) throw tooManyCalls(price, maxCalls);
          const objects = countObjects({
            schema,
            operation,
            selectionContext,
            maxPageSize,
          });
          if (objects > maxObjects) throw tooManyObjects(price, objects, maxObjects);
          const asked = { schema, operation, selectionContext, limit: MAX_INTROSPECTED };
          if (countIntrospection(asked) > MAX_INTROSPECTED)
            throw tooMuchOfTheSchema(price);
          contextValue.budget.open(price, maxCalls);
          isAllowed = true;
        },
        async willSendResponse({
          request,
          response: { body },
          contextValue: { budget },
        }) {
          // Of what is refused as too dear, the error says the price; of what else is, there is none.
          if (!isAllowed || body.kind !== 'single' || !requestsExtension('cost', request))
            return;
          const { estimated, actual } = budget;
          const cost = { estimated, actual, limit: maxCalls };
          body.singleResult.extensions = { ...body.singleResult.extensions, cost };
        },
      };
    },
  };
}

function toSelectionContext(
  schema: GraphQLSchema,
  { definitions }: DocumentNode,
  operation: OperationDefinitionNode | undefined,
  variables: Record<string, unknown> = {},
): SelectionContext | null {
  const declared = operation?.variableDefinitions ?? [];
  const { coerced } = getVariableValues(schema, declared, variables, { maxErrors: 1 });
  if (coerced === undefined) return null;
  const fragments = definitions.filter(
    (definition): definition is FragmentDefinitionNode =>
      definition.kind === Kind.FRAGMENT_DEFINITION,
  );
  return {
    fragments: Object.fromEntries(
      fragments.map((fragment) => [fragment.name.value, fragment]),
    ),
    variableValues: coerced,
  };
}

function tooManyCalls({ base, mostExpensive }: Cost, limit: number): GraphQLError {
  const where =
    mostExpensive === null
      ? ''
      : ` Most of them, ${mostExpensive.calls}, for \`${mostExpensive.path}\`: ask for fewer there.`;
  return tooCostly(
    `This operation may need ${base} calls to the service, and ${limit} are allowed (MAX_REST_CALLS).${where}`,
    { estimated: base, limit },
  );
}

/** Links back to what is here cost no call, and so could fill an answer without end. */
function tooManyObjects({ base }: Cost, objects: number, limit: number): GraphQLError {
  return tooCostly(
    `The answer to this operation may hold ${objects} objects, and ${limit} are allowed (${OBJECTS_PER_ITEM} for each item of MAX_REST_CALLS pages of MAX_PAGE_SIZE): ask for fewer within one another.`,
    { estimated: base, objects, limit },
  );
}

const tooMuchOfTheSchema = ({ base }: Cost): GraphQLError =>
  tooCostly(
    `The answer to this operation would hold more than ${MAX_INTROSPECTED} values of the schema: read it once.`,
    { estimated: base, limit: MAX_INTROSPECTED },
  );

const tooCostly = (message: string, cost: Record<string, number>): GraphQLError =>
  new GraphQLError(message, {
    extensions: { code: 'OPERATION_TOO_COSTLY', cost, http: { status: 400 } },
  });
