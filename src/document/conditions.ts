import { type DocumentNode, Kind, visit } from 'graphql';

/** Which variables decide what is selected, and whether a document has any variables. */
export function readVariableNames(document: DocumentNode): {
  readonly conditions: readonly string[];
  readonly isConstant: boolean;
} {
  const conditions = new Set<string>();
  let isConstant = true;
  visit(document, {
    VariableDefinition() {
      isConstant = false;
    },
    Directive({ arguments: given = [] }) {
      for (const { value } of given) {
        if (value.kind === Kind.VARIABLE) conditions.add(value.name.value);
      }
    },
  });
  return { conditions: [...conditions], isConstant };
}
