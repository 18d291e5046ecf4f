import { turnOf } from '../rest/thread.ts';
import { type ApolloOptions, startApollo } from './apollo.ts';
import type { OperationContext } from './context.ts';
import type { Pipeline } from './pipeline.ts';
import { toPlainPost } from './plain-post.ts';
import { createPlanMemory } from './plan-memory.ts';
import type { OperationRequest, Operations, StreamSlot } from './request.ts';
import { type PlannedRequest, runPlanned } from './run.ts';
import { createStreamOf, type StreamOptions } from './stream.ts';

export interface OperationsOptions extends Omit<ApolloOptions, 'memory'> {
  readonly createContext: (request: OperationRequest) => OperationContext;
  readonly streams: Omit<StreamOptions, 'log'>;
}

/**
 * Starts what runs operations, each of which has had its turn of the thread before its request was parsed. A repeated operation has a plan. For any other request Apollo Server makes the plan, or
 * answers it. Every plan is run in the same way.
 */
export async function startOperations(
  pipeline: Pipeline,
  { createContext, streams, ...options }: OperationsOptions,
): Promise<Operations> {
  const memory = createPlanMemory();
  const apollo = await startApollo(pipeline, { ...options, memory });

  function find({ params }: OperationRequest): PlannedRequest | null {
    const post = toPlainPost(params);
    const plan = post && memory.find(post);
    return plan ? { ...post, plan } : null;
  }

  async function run(request: OperationRequest) {
    const context = createContext(request);
    try {
      const turn = turnOf(context.caller);
      if (turn !== undefined) await turn;
      const known = find(request);
      if (known !== null) context.observer.start();
      const planned = known ?? (await apollo.plan(request, context));
      return 'plan' in planned ? await runPlanned(pipeline, planned, context) : planned;
    } finally {
      context.meter.close();
    }
  }

  const streamOf = createStreamOf(pipeline, { ...streams, log: options.log });
  return {
    run,
    async subscribe(request) {
      const stream: StreamSlot = { begun: null };
      const answer = await run({ ...request, stream });
      return stream.begun === null ? answer : streamOf(stream.begun, request);
    },
    stop: apollo.stop,
  };
}
