import { type GraphQLSchema, getOperationAST, parse } from 'graphql';
import { createPlan, type Plan } from '../../src/document/plan.ts';
import { createPrepare, isRefused } from '../../src/document/prepare.ts';

const prepare = createPrepare(null, () => [], 'attachments');

/** The plan of an operation of a valid document; without a name, of the only one. */
export function planOf(schema: GraphQLSchema, text: string, name?: string): Plan {
  const prepared = prepare(parse(text), '');
  if (isRefused(prepared)) throw prepared[0];
  const operation = getOperationAST(prepared.document, name);
  if (!operation) throw new Error('The document has no such operation.');
  return createPlan(schema, prepared, operation);
}
