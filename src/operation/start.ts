import type { CallerOf } from '../rest/caller-id.ts';
import { turnOf } from '../rest/thread.ts';
import { type ApolloOptions, startApollo } from './apollo.ts';
import { createFirstSight } from './first-sight.ts';
import type { Pipeline } from './pipeline.ts';
import { createPlanMemory } from './plan-memory.ts';
import { createRepeated } from './repeated.ts';
import type { OperationRequest, Operations, StreamSlot } from './request.ts';
import { createStreamOf, type StreamOptions } from './stream.ts';

export interface OperationsOptions extends Omit<ApolloOptions, 'memory'> {
  readonly streams: Omit<StreamOptions, 'log'>;
  /** For tests: plans operations when they are first sent, and not only those that are repeated. */
  readonly plansAtFirstSight: boolean;
  readonly callerOf: CallerOf;
}

/**
 * Starts what runs operations. There are two ways through the stages of the pipeline. A repeated operation has a plan, and
 * bypasses Apollo Server. Apollo Server answers all other requests: operations without a plan yet, and what is not a POST.
 */
export async function startOperations(
  pipeline: Pipeline,
  { plansAtFirstSight, callerOf, streams, ...options }: OperationsOptions,
): Promise<Operations> {
  const { createContext } = options;
  const memory = createPlanMemory();
  const find = plansAtFirstSight ? createFirstSight(pipeline) : memory.find;
  const runRepeated = createRepeated(pipeline, { find, createContext });
  const apollo = await startApollo(pipeline, { ...options, memory });
  const runNow = (request: OperationRequest) =>
    runRepeated(request) ?? apollo.run(request);
  const run = (request: OperationRequest) => {
    const turn = turnOf(callerOf(request.token));
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
