import { type DocumentNode, Kind, visit } from 'graphql';

/** Which variables decide what is selected. */
export function readConditions(document: DocumentNode): readonly string[] {
  const conditions = new Set<string>();
  visit(document, {
    Directive({ arguments: given = [] }) {
      for (const { value } of given) {
        if (value.kind === Kind.VARIABLE) conditions.add(value.name.value);
      }
    },
  });
  return [...conditions];
}
