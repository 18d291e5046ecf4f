import type { DocumentNode, GraphQLError, SourceLocation } from 'graphql';

/**
 * Removes the text from a parsed document. To locate an error, graphql reads the text from its start, and an operation may
 * have a thousand errors. `locationsOf` takes the locations from the tokens instead.
 */
export function forgetText({ loc }: DocumentNode): void {
  if (loc !== undefined) loc.source.body = '';
}

/** The locations of an error in its document; undefined if it has none. */
export function locationsOf({
  nodes,
  locations,
}: GraphQLError): readonly SourceLocation[] | undefined {
  const places = nodes?.flatMap(({ loc }) => {
    if (loc === undefined) return [];
    const { line, column } = loc.startToken;
    return [{ line, column }];
  });
  return places === undefined || places.length === 0 ? locations : places;
}
