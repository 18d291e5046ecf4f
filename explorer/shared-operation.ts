/** The operation of the link that opened the page, as `CopyLink` makes it; null if it has none. */
export function sharedOperation(): { query: string; variables: string } | null {
  const given = new URLSearchParams(location.search);
  const query = given.get('query');
  return query === null ? null : { query, variables: given.get('variables') ?? '' };
}
