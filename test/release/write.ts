import { writeFileSync } from 'node:fs';
import { parse, print, visit } from 'graphql';
import { printSchema } from '../../src/gateway.ts';

/** Writes what a release promises to clients and to composers. Descriptions are left out, because a change of them breaks nothing. */
const release = { schema: printSchema(), subgraph: printSchema({ federation: true }) };
for (const [name, text] of Object.entries(release)) {
  const promised = visit(parse(text), {
    enter: (node) =>
      'description' in node ? { ...node, description: undefined } : undefined,
  });
  writeFileSync(`test/release/${name}.graphql`, `${print(promised)}\n`);
}
