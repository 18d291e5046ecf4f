import { GraphQLError, type GraphQLSchema, isNonNullType } from 'graphql';
import { turnForLongWork } from '../callers/event-loop.ts';
import { turnToGoOn } from '../callers/thread.ts';
import type { Checked } from '../cost/check.ts';
import { executePlanned } from '../execution/execute.ts';
import { leftAfter, sizeOfText } from '../execution/size.ts';
import { SMALL_BYTES } from '../rest/bytes.ts';
import type { OperationContext } from './context.ts';
import type { OperationOutcome } from './respond.ts';

interface ExecutorOptions {
  readonly schema: GraphQLSchema;
  /** What makes an answer longer is null, with an error. Unit: bytes. */
  readonly maxAnswerBytes: number;
}

/** Executes operations that were checked. `rootValue`: the event for which a subscription is executed. */
export const createExecutor =
  (options: ExecutorOptions) =>
  async (
    checked: Checked,
    contextValue: OperationContext,
    rootValue: unknown,
  ): Promise<OperationOutcome> => {
    const { plan, variableValues, selection, argumentsOf } = checked;
    const { schema, maxAnswerBytes } = options;
    const result = await executePlanned({
      schema,
      operation: plan.operation,
      fragments: plan.prepared.fragments,
      selection,
      variableValues,
      argumentsOf,
      rootValue,
      contextValue,
      turn: () => turnToGoOn(contextValue.caller),
      maxBytes: maxAnswerBytes,
    });
    if (contextValue.meter.received > SMALL_BYTES) await turnForLongWork();
    const { data, errors, omitted, size } = result;
    if (data === null || size <= SMALL_BYTES) return result;
    // To count a long answer takes time, and so does writing it. Other requests get their turn before.
    await turnForLongWork();
    if (size <= maxAnswerBytes) return result;
    const fitting = await fitAnswer(data, checked, options);
    return { data: fitting.data, errors: [...errors, ...fitting.errors], omitted };
  };

/**
 * Keeps the root fields whose values fit into an answer, in their order; the others become null, with an error. A text
 * that was read once may be selected a thousand times, so no bound on what is read bounds the answer.
 */
async function fitAnswer(
  data: Readonly<Record<string, unknown>>,
  checked: Checked,
  { schema, maxAnswerBytes }: ExecutorOptions,
): Promise<Required<Pick<OperationOutcome, 'data' | 'errors'>>> {
  const kept: Record<string, unknown> = Object.create(null);
  const refused: GraphQLError[] = [];
  let left = maxAnswerBytes;
  /** How much is counted in all. Otherwise a thousand fields that do not fit would each be counted up to the limit. */
  let toCount = 2 * maxAnswerBytes;
  let sinceTurn = 0;
  for (const [name, value] of Object.entries(data)) {
    const before = Math.min(left, toCount);
    const after = before < 0 ? -1 : leftAfter(value, before - sizeOfText(name, before));
    const fits = after >= 0;
    if (!fits) refused.push(tooLong(name, checked, maxAnswerBytes));
    kept[name] = fits ? value : null;
    if (fits) left -= before - after;
    toCount -= before - after;
    sinceTurn += before - after;
    if (sinceTurn > SMALL_BYTES) {
      sinceTurn = 0;
      await turnForLongWork();
    }
  }
  const mustHave = nonNullFields(checked, schema);
  const isNull = refused.some(({ path }) => mustHave.has(path?.[0]));
  return { data: isNull ? null : kept, errors: refused };
}

/** A write was carried out, although its result cannot be shown. */
const tooLong = (name: string, { plan }: Checked, limit: number) =>
  new GraphQLError(
    `This does not fit into the answer, which may have ${limit} bytes: ask for fewer items or texts, or in several operations.`,
    {
      path: [name],
      extensions: {
        code: 'OPERATION_TOO_COSTLY',
        ...(plan.operation.operation === 'mutation' && { outcome: 'unknown' }),
      },
    },
  );

/** The names in the answer of the root fields that cannot be null. */
function nonNullFields(
  { plan, selection }: Checked,
  schema: GraphQLSchema,
): Set<unknown> {
  const { operation } = plan;
  const type = schema.getRootType(operation.operation);
  const fields = selection.fieldsOf(operation.selectionSet, type ?? undefined);
  const definitions = type?.getFields() ?? {};
  return new Set(
    fields
      .filter(({ name }) => isNonNullType(definitions[name.value]?.type ?? null))
      .map(({ name, alias }) => (alias ?? name).value),
  );
}
