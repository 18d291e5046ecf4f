import { CriticalityLevel, diff } from '@graphql-inspector/core';
import {
  buildASTSchema,
  type ConstDirectiveNode,
  type DocumentNode,
  Kind,
  parse,
  print,
} from 'graphql';

/**
 * What clients or composers rely on in one schema and no longer find in another, each as its place: `Message.text`,
 * `Query.messages.first`, `Message.@key`.
 */
export async function breakingChanges(before: string, after: string): Promise<string[]> {
  const [old, next] = [parse(before), parse(after)];
  const changes = await diff(toSchema(old), toSchema(next));
  const breaking = changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ path, message }) => path ?? message);
  return [...new Set([...breaking, ...changedDirectives(old, next)])].toSorted();
}

/** The directives of federation are defined by composers, not in the text. */
const toSchema = (document: DocumentNode) =>
  buildASTSchema(document, { assumeValidSDL: true });

/** The types of `old` that lost a directive, or have it with other arguments. For composers each of these may decide. */
function changedDirectives(old: DocumentNode, next: DocumentNode): string[] {
  const left = directivesOf(next);
  return [...directivesOf(old)].flatMap(([type, directives]) => {
    const kept = left.get(type)?.map((one) => print(one));
    return directives
      .filter((directive) => kept !== undefined && !isKept(print(directive), kept))
      .map(({ name }) => `${type}.@${name.value}`);
  });
}

/** A key by which others could not come back may become one by which they can. */
const isKept = (directive: string, kept: readonly string[]): boolean =>
  kept.includes(directive) || kept.includes(directive.replace(', resolvable: false', ''));

const directivesOf = ({
  definitions,
}: DocumentNode): Map<string, readonly ConstDirectiveNode[]> =>
  new Map(
    definitions.flatMap((node) =>
      node.kind === Kind.OBJECT_TYPE_DEFINITION
        ? [[node.name.value, node.directives ?? []] as const]
        : [],
    ),
  );

/** The places that a changelog names as broken since the last release: in backticks, in items that begin with "Breaking:". */
export function namedAsBreaking(changelog: string): Set<string> {
  const [, unreleased = ''] = changelog.split(/^## Unreleased$/m);
  const [section = ''] = unreleased.split(/^## /m);
  const items = section.split(/^- /m).filter((item) => item.startsWith('Breaking:'));
  return new Set(
    items.flatMap((item) =>
      [...item.matchAll(/`([^`]+)`/g)].map(([, place = '']) => place),
    ),
  );
}
