import { hasLeft } from '../rest/abort.ts';
import type { CallerOf } from '../rest/caller-id.ts';
import { turnOfNew } from '../rest/thread.ts';
import { type ApolloOptions, startApollo } from './apollo.ts';
import type { OperationContext } from './context.ts';
import type { Pipeline } from './pipeline.ts';
import { toPlainPost } from './plain-post.ts';
import { createPlanMemory } from './plan-memory.ts';
import type { OperationRequest, Operations, StreamSlot } from './request.ts';
import { type PlannedRequest, runNothing, runPlanned } from './run.ts';
import { createStreamOf, type StreamOptions } from './stream.ts';

export interface OperationsOptions extends Omit<ApolloOptions, 'memory'> {
  readonly createContext: (request: OperationRequest) => OperationContext;
  readonly streams: Omit<StreamOptions, 'log'>;
  readonly callerOf: CallerOf;
}

/**
 * Starts what runs operations. A repeated operation has a plan. For any other request Apollo Server makes the plan, or
 * answers it. Every plan is run in the same way.
 */
export async function startOperations(
  pipeline: Pipeline,
  { createContext, callerOf, streams, ...options }: OperationsOptions,
): Promise<Operations> {
  const memory = createPlanMemory();
  const apollo = await startApollo(pipeline, { ...options, memory });

  function find({ params }: OperationRequest): PlannedRequest | null {
    const post = toPlainPost(params);
    const plan = post && memory.find(post);
    return plan ? { ...post, plan } : null;
  }

  async function runNow(request: OperationRequest) {
    const context = createContext(request);
    try {
      // It may have waited for its turn behind thousands.
      if (hasLeft(request.signal)) return runNothing(pipeline, context);
      const known = find(request);
      if (known !== null) context.observer.start();
      const planned = known ?? (await apollo.plan(request, context));
      return 'plan' in planned ? await runPlanned(pipeline, planned, context) : planned;
    } finally {
      context.meter.close();
    }
  }

  const run = (request: OperationRequest) => {
    const turn = turnOfNew(callerOf(request.token, request.address));
    return turn === undefined ? runNow(request) : turn.then(() => runNow(request));
  };
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
