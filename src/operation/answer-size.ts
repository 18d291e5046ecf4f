import {
  type ExecutionResult,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  isNonNullType,
} from 'graphql';
import type { Checked } from '../cost/check.ts';
import { includedFields } from '../document/selection.ts';
import { BYTES_PER_VALUE, SMALL_BYTES } from '../rest/bytes.ts';
import { turn } from '../rest/event-loop.ts';

interface Result {
  readonly data: ExecutionResult['data'];
  readonly errors: readonly GraphQLError[];
}

interface AnswerLimit {
  readonly schema: GraphQLSchema;
  /** Unit: bytes. */
  readonly maxAnswerBytes: number;
}

/**
 * Keeps the root fields whose values fit into an answer, in their order; the others become null, with an error. A text
 * that was read once may be selected a thousand times, so no bound on what is read bounds the answer.
 */
export async function fitAnswer(
  { data, errors }: Result,
  checked: Checked,
  { schema, maxAnswerBytes }: AnswerLimit,
): Promise<Result> {
  const room = roughlyLeft(data, maxAnswerBytes);
  if (data == null || room >= maxAnswerBytes - SMALL_BYTES) return { data, errors };
  // Writing a long answer takes time, and so does the next look at it.
  await turn();
  if (room >= 0) return { data, errors };
  const kept: Record<string, unknown> = Object.create(null);
  const refused: GraphQLError[] = [];
  let left = maxAnswerBytes;
  /** Without this bound, a thousand fields that do not fit would each be counted up to the limit. */
  let toCount = 2 * maxAnswerBytes;
  let sinceTurn = 0;
  for (const [name, value] of Object.entries(data)) {
    const before = Math.min(left, toCount);
    const after = before < 0 ? -1 : exactlyLeft(value, before - sizeOfText(name, before));
    const fits = after >= 0;
    if (!fits) refused.push(tooLong(name, checked, maxAnswerBytes));
    kept[name] = fits ? value : null;
    if (fits) left -= before - after;
    toCount -= before - after;
    sinceTurn += before - after;
    if (sinceTurn > SMALL_BYTES) {
      sinceTurn = 0;
      await turn();
    }
  }
  const mustHave = nonNullFields(checked, schema);
  const isNull = refused.some(({ path }) => mustHave.has(path?.[0]));
  return { data: isNull ? null : kept, errors: [...errors, ...refused] };
}

/** The text of a result, with a line break for terminals; a long text would be copied as a whole for it. */
export function toText(result: FormattedExecutionResult): string {
  const text = JSON.stringify(result);
  return text.length > SMALL_BYTES ? text : `${text}\n`;
}

/** A short text or key takes more time than its bytes, so each counts as this much at least. Unit: bytes. */
const LEAST = BYTES_PER_VALUE;

/**
 * What is left of `before` after the bytes of a value as JSON, or more bytes; counts only until nothing is left. Every
 * answer passes here, so it reads no text.
 */
function roughlyLeft(value: unknown, before: number): number {
  if (typeof value === 'string') return before - LEAST - value.length * LONGEST_ESCAPE;
  let left = before - LEAST;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index += 1) {
      left = roughlyLeft(value[index], left);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const key in value) {
      left -= LEAST + key.length * LONGEST_ESCAPE;
      if (left < 0) return left;
      left = roughlyLeft((value as Record<string, unknown>)[key], left);
    }
  }
  return left;
}

/** The same, but reads texts to count their bytes. */
function exactlyLeft(value: unknown, before: number): number {
  if (typeof value === 'string') return before - sizeOfText(value, before);
  let left = before - LEAST;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index += 1) {
      left = exactlyLeft(value[index], left);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const key in value) {
      left -= sizeOfText(key, left);
      if (left < 0) return left;
      left = exactlyLeft((value as Record<string, unknown>)[key], left);
    }
  }
  return left;
}

/** A control character, or half of a surrogate pair alone, is written as `\u0000`. */
const LONGEST_ESCAPE = 6;

/** The bytes of a text in UTF-8 with JSON's escapes; `LEAST` for a short one. Stops above the limit. */
function sizeOfText(text: string, limit: number): number {
  const halfOfPair = text.isWellFormed() ? 2 : LONGEST_ESCAPE;
  let size = 0;
  for (let index = 0; index < text.length && size <= limit; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20) size += isShortEscape(unit) ? 2 : LONGEST_ESCAPE;
    else if (unit < 0x80) size += unit === 0x22 || unit === 0x5c ? 2 : 1;
    else if (unit < 0x800) size += 2;
    else size += unit >= 0xd800 && unit <= 0xdfff ? halfOfPair : 3;
  }
  return Math.max(LEAST, size);
}

/** `\b`, `\t`, `\n`, `\f`, `\r`. */
const isShortEscape = (unit: number) => unit >= 8 && unit <= 13 && unit !== 11;

/** A write was carried out, although its result cannot be shown. */
const tooLong = (name: string, { operation }: Checked, limit: number) =>
  new GraphQLError(
    `This does not fit into the answer, which may have ${limit} bytes: ask for fewer items or texts, or in several operations.`,
    {
      path: [name],
      extensions: {
        code: 'OPERATION_TOO_COSTLY',
        ...(operation.operation === 'mutation' && { outcome: 'unknown' }),
      },
    },
  );

/** The names in the answer of the root fields that cannot be null. */
function nonNullFields(
  { document, operation, variables }: Checked,
  schema: GraphQLSchema,
): Set<unknown> {
  const type = schema.getRootType(operation.operation);
  const { coerced = {} } = getVariableValues(
    schema,
    operation.variableDefinitions ?? [],
    variables,
  );
  const fragments = Object.fromEntries(
    document.definitions.flatMap((one) =>
      one.kind === 'FragmentDefinition' ? [[one.name.value, one]] : [],
    ),
  );
  const fields = includedFields(
    operation.selectionSet,
    { fragments, variableValues: coerced },
    type ?? undefined,
  );
  const definitions = type?.getFields() ?? {};
  return new Set(
    fields
      .filter(({ name }) => isNonNullType(definitions[name.value]?.type ?? null))
      .map(({ name, alias }) => (alias ?? name).value),
  );
}
