import { defineConfig } from 'vitest/config';

export default defineConfig({
  // graphql ships an ES and a CommonJS copy; dependencies load the second, so the tests do too.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    coverage: {
      include: ['src/**'],
      exclude: ['src/generated/**'],
      reporter: ['text-summary'],
    },
  },
});
