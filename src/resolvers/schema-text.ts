import { readdirSync, readFileSync } from 'node:fs';
import {
  buildASTSchema,
  type ConstDirectiveNode,
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  printSchema as printAll,
  type TypeNode,
  visit,
} from 'graphql';

const FOLDER = new URL('../../schema/', import.meta.url);

interface SchemaTextOptions {
  /** As a subgraph, for composers. Default false. */
  readonly federation?: boolean | undefined;
}

/**
 * The whole schema, from every .graphql file in `schema/`, as one text without `extend`: Relay's compiler takes the fields of
 * an `extend type` for fields of the client, which it does not send.
 */
export function printSchema({ federation = false }: SchemaTextOptions = {}): string {
  forClients ??= printAll(buildASTSchema(readSchema()));
  return federation ? toSubgraphText(forClients) : forClients;
}

/** Every .graphql file in `schema/`, with `extend`. */
export function readSchema(): DocumentNode {
  files ??= parseFiles();
  return files;
}

/** Both are made once, because a process may have many gateways. */
let forClients: string | null = null;
let files: DocumentNode | null = null;

function parseFiles(): DocumentNode {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.graphql'));
  const texts = names
    .toSorted()
    .map((name) => readFileSync(new URL(name, FOLDER), 'utf8'));
  const { definitions, ...document } = parse(texts.join('\n'));
  // Tools that merge them take the fields in this order, so that of a type comes before its extensions, whatever their files.
  const isExtension = ({ kind }: DefinitionNode) => kind.endsWith('Extension');
  return {
    ...document,
    definitions: definitions.toSorted(
      (one, other) => Number(isExtension(one)) - Number(isExtension(other)),
    ),
  };
}

/** The first version of Federation 2 has all that is needed, and every composer knows it. */
const FEDERATION_LINK = `extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.0", import: ["@key", "@shareable"])`;

/** Objects that have an id but cannot be fetched by it: other subgraphs can add fields to them, but not link to them. */
const UNFETCHABLE = '@key(fields: "id", resolvable: false)';

/** The directives of other types. */
const DIRECTIVES: Readonly<Record<string, string>> = {
  // Every subgraph with connections has it.
  PageInfo: '@shareable',
};

/** A type that implements this can be fetched by its id. */
const NODE = 'Node';
const FETCHABLE = '@key(fields: "id")';

/**
 * The schema of clients as a Federation 2 subgraph. It leaves out the interface Node and the fields that return it: other
 * subgraphs may have their own, and composers would take them for ours.
 */
function toSubgraphText(clients: string): string {
  const subgraph: DocumentNode = visit(parse(clients), {
    InterfaceTypeDefinition: ({ name }) => (name.value === NODE ? null : undefined),
    FieldDefinition: ({ type }: FieldDefinitionNode) =>
      nameOf(type) === NODE ? null : undefined,
    ObjectTypeDefinition: { leave: toSubgraphType },
  });
  return `${FEDERATION_LINK}\n\n${print(subgraph)}`;
}

function toSubgraphType(definition: ObjectTypeDefinitionNode): ObjectTypeDefinitionNode {
  const { name, interfaces = [], fields = [] } = definition;
  const others = interfaces.filter((one) => one.name.value !== NODE);
  const isFetchable = others.length < interfaces.length;
  const hasId = fields.some((field) => field.name.value === 'id');
  const key = isFetchable ? FETCHABLE : UNFETCHABLE;
  const text = hasId ? key : DIRECTIVES[name.value];
  return {
    ...definition,
    interfaces: others,
    directives: text === undefined ? [] : parseDirective(text),
  };
}

function parseDirective(text: string): readonly ConstDirectiveNode[] {
  const [definition] = parse(`scalar Any ${text}`).definitions;
  return definition?.kind === Kind.SCALAR_TYPE_DEFINITION
    ? (definition.directives ?? [])
    : [];
}

const nameOf = (type: TypeNode): string =>
  type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type);
