import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
  TokenKind,
} from 'graphql';
import type { Fragments } from './selection.ts';

/** The size of selections, with every fragment counted wherever it is spread. */
interface SelectionSize {
  /** Fields on the longest path. */
  readonly depth: number;
  /** Fragments on the longest path, inline fragments included. */
  readonly fragments: number;
  readonly aliases: number;
  /** A plan grows with them. A fragment that is spread again in the same set adds nothing. */
  readonly selections: number;
  /** Whether `@skip` or `@include` decides about a field of the set itself, in its fragments too. */
  readonly isConditional: boolean;
}

const NO_SELECTION: SelectionSize = {
  depth: 0,
  fragments: 0,
  aliases: 0,
  selections: 0,
  isConditional: false,
};

/** The size of the largest operation or fragment, and of the text. */
export interface DocumentSize extends Omit<SelectionSize, 'isConditional'> {
  /** The name of a fragment that contains itself; null if there is none. If there is one, the other figures are too small. */
  readonly circular: string | null;
  /** How deeply the type of a variable nests lists. */
  readonly listDepth: number;
  /** Whether `@skip` or `@include` decides about the root field of a subscription. */
  readonly isConditionalSubscription: boolean;
  /** How many it has, comments included. */
  readonly tokens: number;
  /** The length of the text. */
  readonly characters: number;
  /** Unit: characters. */
  readonly longestName: number;
  /** Of fields, arguments, types and all else that has one. */
  readonly names: ReadonlySet<string>;
}

type Definition = OperationDefinitionNode | FragmentDefinitionNode;

const isDefinition = (node: { kind: string }): node is Definition =>
  node.kind === Kind.OPERATION_DEFINITION || node.kind === Kind.FRAGMENT_DEFINITION;

/**
 * Measures a document, in a time proportional to its text. Each fragment is measured only once: if each of a thousand
 * fragments spreads the next one twice, the size doubles a thousand times. More than `maxLevels` levels of fields and
 * fragments together count as infinitely deep, because measuring them would overflow the stack.
 */
export function measure(
  document: DocumentNode,
  fragments: Fragments,
  maxLevels: number,
): DocumentSize {
  /** Null while a fragment is being measured. */
  const measured = new Map<string, SelectionSize | null>();
  let circular: string | null = null;
  let level = 0;

  function ofFragment(name: string): SelectionSize {
    const known = measured.get(name);
    if (known === null) circular = name;
    if (known !== undefined) return known ?? NO_SELECTION;
    measured.set(name, null);
    const size = inFragment(fragments[name]?.selectionSet);
    measured.set(name, size);
    return size;
  }

  /** The size of a fragment with these selections. */
  function inFragment(set: SelectionSetNode | undefined): SelectionSize {
    const inner = ofSelections(set);
    return { ...inner, fragments: inner.fragments + 1 };
  }

  function ofSelection(node: SelectionNode): SelectionSize {
    if (node.kind === Kind.FRAGMENT_SPREAD) return ofFragment(node.name.value);
    if (node.kind === Kind.INLINE_FRAGMENT) return inFragment(node.selectionSet);
    const inner = ofSelections(node.selectionSet);
    return {
      ...inner,
      depth: inner.depth + 1,
      aliases: inner.aliases + (node.alias === undefined ? 0 : 1),
      isConditional: false,
    };
  }

  function ofSelections(set: SelectionSetNode | undefined): SelectionSize {
    let { depth, fragments, aliases, selections, isConditional } = NO_SELECTION;
    if (level > maxLevels) return { ...NO_SELECTION, depth: Number.POSITIVE_INFINITY };
    level += 1;
    const spread = new Set<string>();
    for (const node of set?.selections ?? []) {
      const size = ofSelection(node);
      depth = Math.max(depth, size.depth);
      fragments = Math.max(fragments, size.fragments);
      aliases += size.aliases;
      selections += 1;
      isConditional ||= size.isConditional || hasCondition(node);
      const isAgain = node.kind === Kind.FRAGMENT_SPREAD && spread.has(node.name.value);
      if (node.kind === Kind.FRAGMENT_SPREAD) spread.add(node.name.value);
      if (!isAgain) selections += size.selections;
    }
    level -= 1;
    return { depth, fragments, aliases, selections, isConditional };
  }

  const definitions = document.definitions.filter(isDefinition);
  const sizes = definitions.map((node) =>
    node.kind === Kind.FRAGMENT_DEFINITION
      ? ofFragment(node.name.value)
      : ofSelections(node.selectionSet),
  );
  const greatest = (of: (size: SelectionSize) => number) => Math.max(0, ...sizes.map(of));
  return {
    depth: greatest(({ depth }) => depth),
    fragments: greatest(({ fragments: nested }) => nested),
    aliases: greatest(({ aliases }) => aliases),
    selections: greatest(({ selections }) => selections),
    circular,
    listDepth: Math.max(0, ...definitions.flatMap(listDepths)),
    isConditionalSubscription: definitions.some(
      (node, index) => isSubscription(node) && sizes[index]?.isConditional,
    ),
    ...measureText(document),
  };
}

const CONDITIONS = ['skip', 'include'];

const hasCondition = ({ directives = [] }: SelectionNode): boolean =>
  directives.some(({ name }) => CONDITIONS.includes(name.value));

const isSubscription = (node: Definition): boolean =>
  node.kind === Kind.OPERATION_DEFINITION &&
  node.operation === OperationTypeNode.SUBSCRIPTION;

/** How deeply the type of each variable nests lists. */
const listDepths = ({ variableDefinitions = [] }: Definition): number[] =>
  variableDefinitions.map(({ type }) => {
    let levels = 0;
    for (let inner = type; inner.kind !== Kind.NAMED_TYPE; inner = inner.type)
      levels += 1;
    return levels;
  });

function measureText({ loc }: DocumentNode) {
  let tokens = 0;
  let longestName = 0;
  const names = new Set<string>();
  for (let token = loc?.startToken ?? null; token !== null; token = token.next) {
    tokens += 1;
    if (token.kind !== TokenKind.NAME) continue;
    names.add(token.value);
    longestName = Math.max(longestName, token.value.length);
  }
  return { tokens, names, longestName, characters: loc?.end ?? 0 };
}
