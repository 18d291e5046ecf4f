import { createHash } from 'node:crypto';
import {
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { MAX_TOKENS, refuseByLines } from '../document/limits.ts';
import type { Plan } from '../document/plan.ts';
import type { Pipeline } from './pipeline.ts';
import type { PlainPost } from './plain-post.ts';

/**
 * For tests only: plans operations at first sight, without Apollo, so that each goes the way of repeated ones.
 * Undefined for every operation that Apollo would refuse.
 */
export function createFirstSight(
  pipeline: Pipeline,
  { schema, introspection }: { schema: GraphQLSchema; introspection: boolean },
) {
  const rules = introspection
    ? specifiedRules
    : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  return ({ query, operationName }: PlainPost): Plan | undefined => {
    if (query === null || refuseByLines(query) !== null) return undefined;
    try {
      const prepared = pipeline.prepare(
        parse(query, { maxTokens: MAX_TOKENS }),
        createHash('sha256').update(query).digest('hex'),
      );
      if (prepared instanceof GraphQLError) return undefined;
      if (validate(schema, prepared.document, rules).length > 0) return undefined;
      const operation = getOperationAST(prepared.document, operationName);
      const plan = pipeline.plan(prepared, operation ?? undefined);
      return plan instanceof GraphQLError ? undefined : (plan ?? undefined);
    } catch {
      return undefined;
    }
  };
}
