import {
  type ASTVisitor,
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

/** After so many errors the validation ends. */
const MAX_ERRORS = 20;

/**
 * Validates documents as they were sent. The rule that looks for fields in conflict runs last, only if everything else is
 * valid, and on a copy in which equal selections are joined: it compares all fields of one name pair by pair, and a client
 * may repeat a field thousands of times. `introspection`: whether clients may read the schema.
 */
export function createValidate(schema: GraphQLSchema, introspection: boolean): Validate {
  const others = specifiedRules.filter(
    (rule) => rule !== OverlappingFieldsCanBeMergedRule,
  );
  const rules = introspection ? others : [...others, refuseIntrospection];
  // Suggestions are names of the schema.
  const options = { maxErrors: MAX_ERRORS, hideSuggestions: !introspection };
  const conflict = [OverlappingFieldsCanBeMergedRule];
  return (document) => {
    const invalid = validate(schema, document, rules, options);
    const errors =
      invalid.length > 0
        ? invalid
        : validate(schema, withoutRepeats(document), conflict, options);
    return errors.map(toValidationError);
  };
}

const toValidationError = ({ message, nodes, extensions }: GraphQLError): GraphQLError =>
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

/** The document with equal selections of a set joined: it can be merged if and only if the given one can. */
const withoutRepeats = (document: DocumentNode): DocumentNode =>
  visit(document, {
    SelectionSet: { enter: (set) => ({ ...set, selections: joinRepeats(set) }) },
  });

function joinRepeats({ selections }: SelectionSetNode): SelectionNode[] {
  const alike = new Map<string, [SelectionNode, ...SelectionNode[]]>();
  /** By the name in the answer, how many different fields there are. */
  const different = new Map<string, number>();
  for (const selection of selections) {
    const key = toKey(selection);
    if (alike.get(key)?.push(selection)) continue;
    const name =
      selection.kind === Kind.FIELD ? (selection.alias ?? selection.name).value : key;
    const before = different.get(name) ?? 0;
    // Two of one name conflict already.
    if (before === 2) continue;
    different.set(name, before + 1);
    alike.set(key, [selection]);
  }
  return Array.from(alike.values(), join);
}

/** Equal for selections that differ at most in how they are written, and in what is selected below them. */
function toKey(selection: SelectionNode): string {
  if (selection.kind === Kind.FRAGMENT_SPREAD) return `...${selection.name.value}`;
  if (selection.kind === Kind.INLINE_FRAGMENT)
    return `... on ${selection.typeCondition?.name.value}`;
  const { name, alias = name, arguments: given = [] } = selection;
  const printed = given.map((one) => print(visit(one, IN_ORDER))).toSorted();
  return `${alias.value}: ${name.value}(${printed})`;
}

const IN_ORDER: ASTVisitor = {
  ObjectValue: ({ fields, ...value }) => ({
    ...value,
    fields: fields.toSorted((one, other) => (one.name.value < other.name.value ? -1 : 1)),
  }),
};

function join([first, ...others]: readonly [SelectionNode, ...SelectionNode[]]) {
  if (first.kind === Kind.FRAGMENT_SPREAD || first.selectionSet === undefined)
    return first;
  const selections = [first, ...others].flatMap((one) =>
    'selectionSet' in one ? (one.selectionSet?.selections ?? []) : [],
  );
  return { ...first, selectionSet: { ...first.selectionSet, selections } };
}
