import { defineConfig } from 'vitepress';
import { makePages } from '../pages.js';

export default defineConfig({
  title: 'messaging-graphql',
  description: 'A GraphQL gateway over the REST interface of a messaging service',
  srcDir: 'pages',
  cacheDir: 'node_modules/.cache/vitepress',
  markdown: {
    // As GitHub makes them.
    anchor: {
      slugify: (heading) =>
        heading
          .toLowerCase()
          .replace(/[^\w\- ]/g, '')
          .replaceAll(' ', '-'),
    },
    languageAlias: { conf: 'nginx', patch: 'diff', service: 'ini' },
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          // Names such as PAGE_OUT_OF_REACH are one word.
          options: { tokenize: (text) => text.split(/[^\p{L}\p{N}_]+/u) },
          searchOptions: { combineWith: 'AND', prefix: true, fuzzy: false },
        },
      },
    },
    outline: [2, 3],
    sidebar: makePages(),
  },
});
