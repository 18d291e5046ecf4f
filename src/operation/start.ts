import { type ApolloOptions, startApollo } from './apollo.ts';
import { createFirstSight } from './first-sight.ts';
import type { Pipeline } from './pipeline.ts';
import { createPlanMemory } from './plan-memory.ts';
import { createRepeated } from './repeated.ts';
import type { Operations } from './request.ts';

export interface OperationsOptions extends Omit<ApolloOptions, 'memory'> {
  /** For tests: plans operations when they are first sent, and not only those that are repeated. */
  readonly plansAtFirstSight: boolean;
}

/**
 * Starts what runs operations. There are two ways through the stages of the pipeline. A repeated operation has a plan, and
 * bypasses Apollo Server. Apollo Server answers all other requests: operations without a plan yet, and what is not a POST.
 */
export async function startOperations(
  pipeline: Pipeline,
  { plansAtFirstSight, ...options }: OperationsOptions,
): Promise<Operations> {
  const { createContext } = options;
  const memory = createPlanMemory();
  const find = plansAtFirstSight ? createFirstSight(pipeline, options) : memory.find;
  const runRepeated = createRepeated(pipeline, { find, createContext });
  const apollo = await startApollo(pipeline, { ...options, memory });
  return {
    run: (request) => runRepeated(request) ?? apollo.run(request),
    stop: apollo.stop,
  };
}
