import type { DocumentNode, GraphQLError, SourceLocation } from 'graphql';

/**
 * Takes the text away from a parsed document. graphql would read the text from its start for the location of each error,
 * and an operation may have a thousand. The tokens of the document know their places, see `locationsOf`.
 */
export function forgetText({ loc }: DocumentNode): void {
  if (loc !== undefined) loc.source.body = '';
}

/** Where in a document an error lies; undefined if it has no place there. */
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
