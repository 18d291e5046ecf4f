import type { GraphiQLProps } from 'graphiql';

/** GraphiQL stores these with the headers of each operation, and so with the token, also if it may not store headers. */
const WITH_HEADERS = ['graphiql:queries', 'graphiql:favorites'];

const storageOf = (key: string): Storage =>
  WITH_HEADERS.includes(key) ? sessionStorage : localStorage;

/** Its documentation has two fifths of the page: in the quarter that GraphiQL gives it, sentences break every few words. */
const DOCS_WIDTH = { key: 'graphiql:docExplorerFlex', value: '0.6' };

/** The browser's storage for GraphiQL; what has headers is kept only until the tab is closed. */
export const storage: NonNullable<GraphiQLProps['storage']> = {
  getItem: (key) =>
    storageOf(key).getItem(key) ?? (key === DOCS_WIDTH.key ? DOCS_WIDTH.value : null),
  setItem: (key, value) => storageOf(key).setItem(key, value),
  removeItem: (key) => storageOf(key).removeItem(key),
  clear() {
    for (const key of ownKeys()) storageOf(key).removeItem(key);
  },
  get length() {
    return ownKeys().length;
  },
};

/** Other pages of this origin keep theirs in the same storages. */
const ownKeys = (): string[] =>
  [...Object.keys(sessionStorage), ...Object.keys(localStorage)].filter((key) =>
    key.startsWith('graphiql:'),
  );
