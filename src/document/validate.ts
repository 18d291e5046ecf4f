import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  OverlappingFieldsCanBeMergedRule,
  print,
  type SelectionNode,
  type SelectionSetNode,
  specifiedRules,
  type ValidationRule,
  validate,
  visit,
} from 'graphql';

/** Why a document is invalid; empty if it is valid. */
export type Validate = (document: DocumentNode) => readonly GraphQLError[];

interface ValidateOptions {
  readonly schema: GraphQLSchema;
  /** Whether clients may read the schema. */
  readonly introspection: boolean;
}

/**
 * Validates documents as they were sent. graphql compares selections of one name pair by pair, and gives up after some
 * seven hundred of them. Then they are compared once more, with those that are alike joined: a client may repeat a field
 * thousands of times.
 */
export function createValidate({ schema, introspection }: ValidateOptions): Validate {
  const rules = introspection ? specifiedRules : [...specifiedRules, refuseIntrospection];
  const others = rules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule);

  function errorsOf(document: DocumentNode): readonly GraphQLError[] {
    const errors = validate(schema, document, rules);
    if (!errors.some(hasGivenUp)) return errors;
    const invalid = validate(schema, document, others);
    if (invalid.length > 0) return invalid;
    return validate(schema, withoutRepeats(document), [OverlappingFieldsCanBeMergedRule]);
  }

  return (document) => errorsOf(document).map(toRefusal);
}

const hasGivenUp = ({ message }: GraphQLError): boolean =>
  message === 'Validation aborted.';

const toRefusal = ({ message, nodes, extensions }: GraphQLError): GraphQLError =>
  new GraphQLError(message, {
    ...(nodes && { nodes }),
    extensions: { ...extensions, code: 'GRAPHQL_VALIDATION_FAILED' },
  });

/** With the extension by which tools know this error of Apollo Server. */
const refuseIntrospection: ValidationRule = (context) => ({
  Field(node) {
    if (!INTROSPECTION.includes(node.name.value)) return;
    const message = `GraphQL introspection is not allowed here: the document asks for ${node.name.value}.`;
    const extensions = { validationErrorCode: 'INTROSPECTION_DISABLED' };
    context.reportError(new GraphQLError(message, { nodes: [node], extensions }));
  },
});

const INTROSPECTION: readonly string[] = ['__schema', '__type'];

/** A document whose selections can be merged if and only if those of the given one can: what stands twice in a set is joined. */
const withoutRepeats = (document: DocumentNode): DocumentNode =>
  visit(document, {
    SelectionSet: { enter: (set) => ({ ...set, selections: joinRepeats(set) }) },
  });

function joinRepeats({ selections }: SelectionSetNode): SelectionNode[] {
  const alike = new Map<string, [SelectionNode, ...SelectionNode[]]>();
  for (const selection of selections) {
    const key = toKey(selection);
    const known = alike.get(key);
    if (known === undefined) alike.set(key, [selection]);
    else known.push(selection);
  }
  return Array.from(alike.values(), join);
}

/** Equal for selections that differ at most in what is selected below them. */
function toKey(selection: SelectionNode): string {
  if (selection.kind === Kind.FRAGMENT_SPREAD) return `...${selection.name.value}`;
  if (selection.kind === Kind.INLINE_FRAGMENT)
    return `... on ${selection.typeCondition?.name.value}`;
  const { alias, name, arguments: given = [] } = selection;
  return `${alias?.value}: ${name.value}(${given.map(print).join()})`;
}

function join([first, ...others]: readonly [SelectionNode, ...SelectionNode[]]) {
  if (first.kind === Kind.FRAGMENT_SPREAD || first.selectionSet === undefined)
    return first;
  const sets = [first, ...others].flatMap((one) =>
    one.kind === Kind.FRAGMENT_SPREAD ? [] : (one.selectionSet?.selections ?? []),
  );
  return { ...first, selectionSet: { ...first.selectionSet, selections: sets } };
}
