import { createHash } from 'node:crypto';
import { getOperationAST, parse } from 'graphql';
import { MAX_TOKENS, refuseByLines } from '../document/limits.ts';
import type { Plan } from '../document/plan.ts';
import { isRefused } from '../document/prepare.ts';
import type { Pipeline } from './pipeline.ts';
import type { PlainPost } from './plain-post.ts';

/**
 * For tests only: plans operations at first sight, without Apollo, so that each goes the way of repeated ones.
 * Undefined for every operation that Apollo would refuse.
 */
export const createFirstSight =
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
