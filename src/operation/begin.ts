import {
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  locatedError,
} from 'graphql';
import type { Checked, ReadRequest } from '../cost/check.ts';
import { TooManySubscriptionsError } from '../live/errors.ts';
import type { Subscriber } from '../live/subscriber.ts';
import type { OperationContext } from './context.ts';
import type { Executed } from './execute.ts';
import type { SubscriptionRoom } from './subscription-room.ts';

/**
 * Begins subscriptions that were checked: their only root field says what is watched. The result is empty, and the stream
 * is in the context; or it has the error why the subscription is refused.
 */
export const createBegin =
  (schema: GraphQLSchema, room: SubscriptionRoom) =>
  async (checked: Checked, context: OperationContext): Promise<Executed> => {
    const { request, variableErrors } = checked;
    if (request === null) return toExecuted(variableErrors);
    if (context.stream === null) return toExecuted([needsStream()]);
    const root = rootField(schema, checked, request);
    if (root === null)
      throw new Error('A subscription without a root field was not refused.');
    const { key, nodes, field } = root;
    const locate = (error: unknown) => locatedError(error, nodes, [key]);
    const { plan } = checked;
    const variables = definedVariables(checked);
    try {
      const subscriber = await subscribe(field, nodes, { request, context });
      // Until now, what is kept counted as a request. The service has accepted the token meanwhile.
      const { share } = context.caller.renewed();
      const leave = room.take({ plan, variables, share });
      if (leave === null) {
        subscriber.end({ reason: 'left', error: null });
        throw new TooManySubscriptionsError();
      }
      subscriber.onEnd(leave);
      context.stream.begun = { plan, variables, subscriber, locate };
      return toExecuted([]);
    } catch (error) {
      return toExecuted([locate(error)]);
    }
  };

const toExecuted = (errors: readonly GraphQLError[]): Executed =>
  ({ data: undefined, errors }) as unknown as Executed;

async function subscribe(
  field: GraphQLField<unknown, unknown>,
  nodes: readonly FieldNode[],
  { request, context }: { request: ReadRequest; context: OperationContext },
): Promise<Subscriber<unknown>> {
  const [first] = nodes;
  if (field.subscribe === undefined || first === undefined)
    throw new Error(`Subscription.${field.name} cannot be subscribed to.`);
  const args = request.argumentsOf(field, first);
  // The fields of Subscription need nothing but their arguments and the context.
  const info = {} as GraphQLResolveInfo;
  return field.subscribe(undefined, args, context, info) as Promise<Subscriber<unknown>>;
}

/** The values that were sent for the variables of the operation. Others would be kept in vain. */
function definedVariables({ plan, variables }: Checked): Record<string, unknown> {
  const names = plan.operation.variableDefinitions?.map(
    ({ variable }) => variable.name.value,
  );
  const given = Object.entries(variables).filter(([name]) => names?.includes(name));
  return Object.fromEntries(given);
}

/** The only one: no document passes that selects none or several, or leaves it to a condition. */
function rootField(schema: GraphQLSchema, { plan }: Checked, { selection }: ReadRequest) {
  const type = schema.getSubscriptionType();
  if (type == null) return null;
  for (const [key, nodes] of selection.collect([plan.operation.selectionSet], type)) {
    const field = type.getFields()[nodes[0]?.name.value ?? ''];
    if (field !== undefined) return { key, nodes, field };
  }
  return null;
}

/** The error for a client that cannot read more than one result. */
const needsStream = () =>
  new GraphQLError(
    'A subscription is answered with a stream of events: send "Accept: text/event-stream", or "multipart/mixed;subscriptionSpec=1.0", or use a WebSocket.',
    { extensions: { code: 'BAD_REQUEST' } },
  );
