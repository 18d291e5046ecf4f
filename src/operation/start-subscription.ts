import {
  type FieldNode,
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  locatedError,
} from 'graphql';
import { type ByteQuota, SharedBytes } from '../callers/shares.ts';
import type { Checked } from '../cost/check.ts';
import { memoryOf, type Plan } from '../document/plan.ts';
import { refusal } from '../document/refusal.ts';
import type { SelectionContext } from '../document/selection.ts';
import { TooManySubscriptionsError } from '../live/errors.ts';
import type { Subscriber } from '../live/subscriber.ts';
import type { OperationContext } from './context.ts';
import type { PlannedRequest } from './request.ts';
import type { OperationOutcome } from './respond.ts';

/**
 * Starts subscriptions that were checked: their only root field says what is watched. The outcome is empty, and the stream
 * is in the context; or it has the error why the subscription is refused.
 */
export function createStartSubscription(schema: GraphQLSchema, bytes: ByteQuota) {
  const reserve = createRoom(bytes);
  return async (
    checked: Checked,
    extensions: PlannedRequest['extensions'],
    context: OperationContext,
  ): Promise<OperationOutcome> => {
    const { plan } = checked;
    const { stream } = context.request;
    if (stream === undefined) return { errors: [needsStream()] };
    const { key, nodes, field } = rootField(schema, checked);
    const locate = (error: unknown) => locatedError(error, nodes, [key]);
    const variables = definedVariables(checked);
    try {
      const { fragments } = plan.prepared;
      const { variableValues } = checked;
      const info = { fieldNodes: nodes, schema, fragments, variableValues };
      const subscriber = await subscribe(field, info, { checked, context });
      // Until now, the document and the variables counted as those of a request. The service has accepted the token
      // meanwhile, so from now on they count for its own share, even if the caller was a stranger.
      const { share } = context.caller.renewed();
      const leave = reserve(plan, variables, share);
      if (leave === null) {
        subscriber.end({ reason: 'left', error: null });
        throw new TooManySubscriptionsError();
      }
      subscriber.onEnd(leave);
      const requested = {
        cost: extensions.cost === true,
        rest: extensions.rest === true,
      };
      const request = { plan, variables, extensions: requested };
      stream.begun = { request, subscriber, locate };
      return { errors: [] };
    } catch (error) {
      return { errors: [locate(error)] };
    }
  };
}

/**
 * Bounds what open subscriptions keep of their requests, all together and those of one caller. The function reserves room for
 * one more, and returns what releases it; null if there is none. `share`: the caller's.
 */
function createRoom(quota: ByteQuota) {
  const plans = new SharedBytes(quota);
  return (
    plan: Plan,
    variables: Readonly<Record<string, unknown>>,
    share: string,
  ): (() => void) | null => {
    const { prepared } = plan;
    const bytes = JSON.stringify(variables).length * 2;
    if (!quota.reserve(share, bytes)) return null;
    if (!plans.reserve(plan, share, memoryOf(prepared, prepared.selections))) {
      quota.release(share, bytes);
      return null;
    }
    return () => {
      quota.release(share, bytes);
      plans.release(plan, share);
    };
  };
}

async function subscribe(
  field: GraphQLField<unknown, unknown>,
  info: SelectionContext & { readonly fieldNodes: readonly FieldNode[] },
  { checked, context }: { checked: Checked; context: OperationContext },
): Promise<Subscriber<unknown>> {
  const [first] = info.fieldNodes;
  if (field.subscribe === undefined || first === undefined)
    throw new Error(`Subscription.${field.name} cannot be subscribed to.`);
  const args = checked.argumentsOf(field, first);
  // The fields of Subscription need nothing else.
  const given = info as unknown as GraphQLResolveInfo;
  return field.subscribe(undefined, args, context, given) as Promise<Subscriber<unknown>>;
}

/** Only declared variables; others would be retained for the subscription's life. */
function definedVariables({ plan, variables }: Checked): Record<string, unknown> {
  const names = plan.operation.variableDefinitions?.map(
    ({ variable }) => variable.name.value,
  );
  const given = Object.entries(variables).filter(([name]) => names?.includes(name));
  return Object.fromEntries(given);
}

/** The only root field: no document passes that selects none or several, or leaves it to a condition. */
function rootField(schema: GraphQLSchema, { plan, selection }: Checked) {
  const type = schema.getSubscriptionType();
  if (type != null) {
    for (const [key, nodes] of selection.collect([plan.operation.selectionSet], type)) {
      const field = type.getFields()[nodes[0]?.name.value ?? ''];
      if (field !== undefined) return { key, nodes, field };
    }
  }
  throw new Error('A subscription without a root field was not refused.');
}

/** The error for a client that cannot read more than one result. */
const needsStream = () =>
  refusal(
    'BAD_REQUEST',
    'A subscription is answered with a stream of events: send "Accept: text/event-stream", or "multipart/mixed;subscriptionSpec=1.0", or use a WebSocket.',
  );
