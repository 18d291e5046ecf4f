import { createHash } from 'node:crypto';
import { getOperationAST, parse } from 'graphql';
import { MAX_TOKENS, refuseByLines } from '../document/limits.ts';
import type { Plan } from '../document/plan.ts';
import { isRefused } from '../document/prepare.ts';
import type { CallerOf } from '../rest/caller-id.ts';
import { turnOf } from '../rest/thread.ts';
import { type ApolloOptions, startApollo } from './apollo.ts';
import type { Pipeline } from './pipeline.ts';
import type { PlainPost } from './plain-post.ts';
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

/**
 * For tests only: plans operations at first sight, without Apollo, so that each goes the way of repeated ones.
 * Undefined for every operation that Apollo would refuse.
 */
const createFirstSight =
  (pipeline: Pipeline) =>
  ({ query, operationName }: PlainPost): Plan | undefined => {
    if (query === null || refuseByLines(query) !== null) return undefined;
    try {
      const prepared = pipeline.prepare(
        parse(query, { maxTokens: MAX_TOKENS }),
        createHash('sha256').update(query).digest('hex'),
      );
      if (isRefused(prepared)) return undefined;
      const operation = getOperationAST(prepared.document, operationName);
      return operation ? pipeline.plan(prepared, operation) : undefined;
    } catch {
      return undefined;
    }
  };
