import { raw, text, variable } from '../breeding/random-value.ts';
import type { Genome, Selection, Service, Transport, Value } from '../genome/genome.ts';
import { ALONE, PLAIN_SERVICE, PLAIN_TRANSPORT } from '../genome/plain.ts';

interface Parts {
  readonly type?: 'query' | 'mutation';
  readonly variables?: Record<string, readonly [type: string, value: Value]>;
  readonly padding?: readonly [padding: string, paddings: number];
  readonly transport?: Partial<Transport>;
  readonly service?: Partial<Service>;
  readonly sequence?: Partial<Pick<Genome, keyof typeof ALONE>>;
}

/** A request of the first generation. */
export function genome(
  name: string,
  selections: readonly Selection[],
  {
    type = 'query',
    variables = {},
    padding = ['', 0],
    transport,
    service,
    sequence,
  }: Parts = {},
): Genome {
  return {
    name,
    type,
    selections,
    variables: Object.fromEntries(
      Object.entries(variables).map(([key, [of, value]]) => [
        key,
        { type: of, value, isDefault: false },
      ]),
    ),
    padding: padding[0],
    paddings: padding[1],
    operations: 0,
    ...ALONE,
    ...sequence,
    extensions: null,
    transport: { ...PLAIN_TRANSPORT, ...transport },
    service: { ...PLAIN_SERVICE, ...service },
  };
}

export const X = variable('x');
export const id = (value: Value = text('x', 1, true)) => ({ id: value });
export const page = (size: number, more: Record<string, Value> = {}) => ({
  first: raw(String(size)),
  ...more,
});

/** An object whose keys are large numbers, which engines keep apart from other keys. */
export const numberKeys = (keys: number): Value => ({
  kind: 'object',
  of: raw('0'),
  keys,
  keyLength: 1,
  firstKey: 1_000_000_000,
});
