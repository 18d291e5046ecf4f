import {
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  isNonNullType,
} from 'graphql';
import type { Checked } from '../cost/check.ts';
import { LEAST_BYTES } from '../execution/size.ts';
import { SMALL_BYTES } from '../rest/bytes.ts';
import { turnForLongWork } from '../rest/event-loop.ts';

export interface Result {
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly errors: readonly GraphQLError[];
  /** No less than what `data` takes as JSON, or more than is allowed. Unit: bytes. */
  readonly size: number;
}

interface AnswerLimit {
  readonly schema: GraphQLSchema;
  /** Unit: bytes. */
  readonly maxAnswerBytes: number;
}

type Fitting = Omit<Result, 'size'>;

/**
 * Keeps the root fields whose values fit into an answer, in their order; the others become null, with an error. A text
 * that was read once may be selected a thousand times, so no bound on what is read bounds the answer.
 */
export const fitAnswer = (
  { data, errors, size }: Result,
  checked: Checked,
  limit: AnswerLimit,
): Fitting | Promise<Fitting> =>
  data === null || size <= SMALL_BYTES
    ? { data, errors }
    : fitLong({ data, errors, size }, checked, limit);

type Long = Result & { readonly data: NonNullable<Result['data']> };

async function fitLong(
  { data, errors, size }: Long,
  checked: Checked,
  { schema, maxAnswerBytes }: AnswerLimit,
): Promise<Fitting> {
  // To count a long answer takes time, and so does writing it. Other requests get their turn before.
  await turnForLongWork();
  if (size <= maxAnswerBytes) return { data, errors };
  const kept: Record<string, unknown> = Object.create(null);
  const refused: GraphQLError[] = [];
  let left = maxAnswerBytes;
  /** How much is counted in all. Otherwise a thousand fields that do not fit would each be counted up to the limit. */
  let toCount = 2 * maxAnswerBytes;
  let sinceTurn = 0;
  const counter = createCounter();
  for (const [name, value] of Object.entries(data)) {
    const before = Math.min(left, toCount);
    const after =
      before < 0 ? -1 : counter.leftAfter(value, before - sizeOfText(name, before));
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
  return { data: isNull ? null : kept, errors: [...errors, ...refused] };
}

/** Longer answers are read by programs. Unit: characters. */
const FOR_TERMINALS = 4096;

/** The text of a result. A short one ends with a line break, for terminals; a long one does not, because that would copy it. */
export function toText(result: FormattedExecutionResult): string {
  const text = JSON.stringify(result);
  return text.length > FOR_TERMINALS ? text : `${text}\n`;
}

/**
 * Counts the bytes of values as JSON. It reads texts to count their bytes, and remembers the objects that did not fit: to
 * look at an object of many keys again takes a tenth of a second, whatever is left, since all its keys are listed first.
 */
function createCounter() {
  /** What was counted of objects that did not fit. Unit: bytes. */
  const tooLarge = new Map<object, number>();

  /** What is left of `before` after a value; negative if it does not fit. */
  function leftAfter(value: unknown, before: number): number {
    if (typeof value === 'string') return before - sizeOfText(value, before);
    const left = before - LEAST_BYTES;
    if (left < 0 || typeof value !== 'object' || value === null) return left;
    return Array.isArray(value) ? afterItems(value, left) : afterFields(value, left);
  }

  function afterItems(items: readonly unknown[], before: number): number {
    let left = before;
    for (let index = 0; index < items.length && left >= 0; index += 1) {
      left = leftAfter(items[index], left);
    }
    return left;
  }

  function afterFields(object: object, before: number): number {
    if (before < (tooLarge.get(object) ?? 0)) return -1;
    let left = before;
    for (const key in object) {
      left -= sizeOfText(key, left);
      if (left >= 0) left = leftAfter((object as Record<string, unknown>)[key], left);
      if (left >= 0) continue;
      tooLarge.set(object, before - left);
      break;
    }
    return left;
  }

  return { leftAfter };
}

/** The bytes of a text in UTF-8 with JSON's escapes; `LEAST_BYTES` for a short one. More than `limit` need not be exact. */
const sizeOfText = (text: string, limit: number): number =>
  text.length > limit
    ? text.length
    : Math.max(LEAST_BYTES, Buffer.byteLength(JSON.stringify(text)) - 2);

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
