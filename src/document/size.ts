import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** The size of selections, with every fragment counted wherever it is spread. */
interface Size {
  /** Fields on the longest path. */
  readonly depth: number;
  /** Fragments on the longest path, inline fragments included. */
  readonly fragments: number;
  readonly aliases: number;
  /** What is worked out of an operation grows with them. Spread again in the same set, a fragment adds nothing to them. */
  readonly selections: number;
}

export interface DocumentSize extends Size {
  /** The name of a fragment that contains itself; null if there is none. If there is one, the other figures are too small. */
  readonly circular: string | null;
}

export type Definition = OperationDefinitionNode | FragmentDefinitionNode;

export const isDefinition = (node: { kind: string }): node is Definition =>
  node.kind === Kind.OPERATION_DEFINITION || node.kind === Kind.FRAGMENT_DEFINITION;

const NOTHING: Size = { depth: 0, fragments: 0, aliases: 0, selections: 0 };

/**
 * Measures the largest operation or fragment. Each fragment is measured only once: if each of a thousand fragments spreads
 * the next one twice, the size doubles a thousand times. More than `maxLevels` levels of fields and fragments together
 * count as infinitely deep, because measuring them would overflow the stack.
 */
export function measure(document: DocumentNode, maxLevels: number): DocumentSize {
  const definitions = document.definitions.filter(isDefinition);
  const fragments = new Map(
    definitions.flatMap((node): [string, SelectionSetNode][] =>
      node.kind === Kind.FRAGMENT_DEFINITION
        ? [[node.name.value, node.selectionSet]]
        : [],
    ),
  );
  /** Null while a fragment is being measured. */
  const measured = new Map<string, Size | null>();
  let circular: string | null = null;
  let level = 0;

  function ofFragment(name: string): Size {
    const known = measured.get(name);
    if (known === null) circular = name;
    if (known !== undefined) return known ?? NOTHING;
    measured.set(name, null);
    const size = wrapped(fragments.get(name));
    measured.set(name, size);
    return size;
  }

  /** The size of a fragment with these selections. */
  function wrapped(set: SelectionSetNode | undefined): Size {
    const inner = ofSelections(set);
    return { ...inner, fragments: inner.fragments + 1 };
  }

  function ofField({ alias, selectionSet }: FieldNode): Size {
    const inner = ofSelections(selectionSet);
    const own = alias === undefined ? 0 : 1;
    return { ...inner, depth: inner.depth + 1, aliases: inner.aliases + own };
  }

  function ofSelection(node: SelectionNode): Size {
    if (node.kind === Kind.FIELD) return ofField(node);
    if (node.kind === Kind.FRAGMENT_SPREAD) return ofFragment(node.name.value);
    return wrapped(node.selectionSet);
  }

  function ofSelections(set: SelectionSetNode | undefined): Size {
    let { depth, fragments, aliases, selections } = NOTHING;
    if (level > maxLevels) return { ...NOTHING, depth: Number.POSITIVE_INFINITY };
    level += 1;
    const spread = new Set<string>();
    for (const node of set?.selections ?? []) {
      const size = ofSelection(node);
      depth = Math.max(depth, size.depth);
      fragments = Math.max(fragments, size.fragments);
      aliases += size.aliases;
      selections += 1;
      const isAgain = node.kind === Kind.FRAGMENT_SPREAD && spread.has(node.name.value);
      if (node.kind === Kind.FRAGMENT_SPREAD) spread.add(node.name.value);
      if (!isAgain) selections += size.selections;
    }
    level -= 1;
    return { depth, fragments, aliases, selections };
  }

  const sizes = definitions.map((node) =>
    node.kind === Kind.FRAGMENT_DEFINITION
      ? ofFragment(node.name.value)
      : ofSelections(node.selectionSet),
  );
  const greatest = (of: (size: Size) => number) => Math.max(0, ...sizes.map(of));
  return {
    depth: greatest(({ depth }) => depth),
    fragments: greatest(({ fragments: nested }) => nested),
    aliases: greatest(({ aliases }) => aliases),
    selections: greatest(({ selections }) => selections),
    circular,
  };
}
