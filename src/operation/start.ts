import type { GraphQLError } from 'graphql';
import { isTimeUp, type Signal } from '../callers/abort.ts';
import { turnOf } from '../callers/thread.ts';
import { refusal } from '../document/refusal.ts';
import { type ApolloOptions, startApollo } from './apollo.ts';
import type { OperationContext } from './context.ts';
import { createPipeline, type PipelineOptions } from './pipeline.ts';
import { createPlanMemory } from './plan-memory.ts';
import type {
  OperationRequest,
  OperationResponse,
  Operations,
  StreamSlot,
} from './request.ts';
import { type Answered, toRefused, toResultText } from './respond.ts';
import { createStreamOf, type StreamOptions } from './stream.ts';

export interface OperationsOptions
  extends PipelineOptions,
    StreamOptions,
    Omit<ApolloOptions, 'memory'> {}

/** The media type of an answer for a client that can read none. */
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Starts what runs operations. The HTTP layer has waited for a turn before it parsed the request; here the operation waits
 * for another. A repeated operation has a plan. For any other request, Apollo Server makes the plan or answers it. Every
 * plan is run in the same way.
 */
export async function startOperations(options: OperationsOptions): Promise<Operations> {
  const { createContext, observers } = options;
  const pipeline = createPipeline(options);
  const memory = createPlanMemory(options.trusted);
  const apollo = await startApollo(pipeline, { ...options, memory });

  async function run(request: OperationRequest): Promise<OperationResponse> {
    const context = createContext(request, observers);
    try {
      const turn = turnOf(context.caller);
      if (turn !== undefined) await turn;
      if (isTimeUp(request.lifetime)) return refuse(context, tooLate(request.lifetime));
      const known = memory.find(request.params);
      if (known !== null) {
        const noRoom = context.hold(known.plan.prepared);
        if (noRoom !== null) return refuse(context, noRoom);
        context.observer.start();
      }
      const planned = known ?? (await apollo.plan(request, context));
      return 'plan' in planned
        ? toResponse(await pipeline.run(planned, context), request)
        : planned;
    } finally {
      context.meter.close();
    }
  }

  /** Answers a request that is not parsed, or not run. */
  function refuse(context: OperationContext, error: GraphQLError): OperationResponse {
    context.observer.start();
    const nothing = { operation: undefined, extensions: undefined };
    const answered = pipeline.answer(toRefused([error]), nothing, context);
    return toResponse(answered, context.request);
  }

  const streamOf = createStreamOf(pipeline, options);
  return {
    run,
    async subscribe(request) {
      const stream: StreamSlot = { begun: null };
      try {
        const answer = await run({ ...request, stream });
        return stream.begun === null ? answer : streamOf(stream.begun, request);
      } catch (error) {
        stream.begun?.subscriber.end({ reason: 'left', error: null });
        throw error;
      }
    },
    stop: apollo.stop,
  };
}

/** The error for an operation that had no turn of the thread in its time. */
const tooLate = ({ reason }: Signal) =>
  refusal(
    'UPSTREAM_TIMEOUT',
    `Nothing was executed, because the gateway has too much to do: ${(reason as Error).message}.`,
    { status: 429 },
  );

function toResponse(
  { status, retryAfterSeconds, result }: Answered,
  { accepts }: OperationRequest,
): OperationResponse {
  const headers: [string, string][] = [['content-type', accepts.type ?? JSON_TYPE]];
  if (retryAfterSeconds !== null)
    headers.push(['retry-after', String(retryAfterSeconds)]);
  return { status, headers, body: toResultText(result) };
}
