import { execute, parse, responsePathAsArray as pathToArray } from 'graphql';
import type { Operation } from '../arbitrary/print-operation.ts';
import { MAY_BE_NULL, type OracleOptions, resolve } from './fields.ts';
import { schema } from './schema.ts';

/** The expected answer of an operation. */
export interface Expected {
  /** Holds the text of `anyCursor` in place of each cursor. */
  readonly data: unknown;
  /** Error codes by path, `messages.nodes.1`. */
  readonly codes: ReadonlyMap<string, unknown>;
  /** The paths of the values that may also be null. */
  readonly mayBeNull: ReadonlySet<string>;
  /** Every field that was resolved, as `Type.field`. */
  readonly fields: ReadonlySet<string>;
}

/** Answers a valid operation from the world, with graphql's own executor, which the gateway does not use. */
export async function expectedAnswer(
  { query, variables }: Operation,
  options: OracleOptions,
): Promise<Expected> {
  const fields = new Set<string>();
  const mayBeNull = new Set<string>();
  const { data, errors = [] } = await execute({
    schema,
    document: parse(query),
    variableValues: variables,
    typeResolver: ({ type }) => type,
    fieldResolver(object, args, _context, info) {
      const { parentType, fieldName } = info;
      const type = parentType.name;
      const name = `${type}.${fieldName}`;
      fields.add(name);
      if (MAY_BE_NULL.includes(name)) mayBeNull.add(pathToArray(info.path).join('.'));
      return resolve(options, { type, wire: object?.wire ?? {} }, fieldName, args);
    },
  });
  const codes = errors.map(
    ({ path = [], extensions, originalError }) =>
      [path.join('.'), extensions.code ?? originalError] as const,
  );
  return { data, codes: new Map(codes), mayBeNull, fields };
}
