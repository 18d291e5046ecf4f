import fc from 'fast-check';

/** The type of what an arbitrary makes. */
export type Made<Some> = Some extends fc.Arbitrary<infer Value> ? Value : never;

type Choice = readonly [weight: number, arbitrary: fc.Arbitrary<unknown>];

/** One of several arbitraries, by weight. */
export const oneOf = <const Choices extends readonly Choice[]>(
  ...choices: Choices
): fc.Arbitrary<Made<Choices[number][1]>> =>
  fc.oneof(
    ...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })),
  ) as fc.Arbitrary<Made<Choices[number][1]>>;

/** One of several values, by weight. */
export const weighted = <Value>(
  ...choices: readonly (readonly [weight: number, value: Value])[]
): fc.Arbitrary<Value> =>
  fc.oneof(
    ...choices.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })),
  );
