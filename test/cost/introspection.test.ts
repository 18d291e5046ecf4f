import { buildSchema, getIntrospectionQuery } from 'graphql';
import { expect, test } from 'vitest';
import { Budget } from '../../src/cost/budget.ts';
import { createCheck } from '../../src/cost/check.ts';
import { planOf } from '../support/plan.ts';

// security: repeated-introspection
test.each([1, 5000])(
  'tools may read the whole schema, however long it is: %i types',
  (count) => {
    const types = Array.from({ length: count }, (_, i) => `type T${i} { id: ID }`);
    const schema = buildSchema(`type Query { first: T0 } ${types.join(' ')}`);
    const check = createCheck({
      schema,
      maxCalls: 1,
      maxPageSize: 1,
      requestPage: () => {
        throw new Error('The schema has no lists.');
      },
    });
    const query = getIntrospectionQuery({
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    });
    const context = {
      budget: new Budget(),
      pages: new Map(),
      listQuota: { reservePriced() {} },
    };

    expect(check(planOf(schema, query), {}, context)).toHaveProperty('price');
  },
);
