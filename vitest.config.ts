import { defineConfig } from 'vitest/config';

export default defineConfig({
  // graphql has an ES and a CommonJS copy. Dependencies load the second, so the tests must load it too.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    // The default leaves one core idle, which is half of a machine with two cores.
    maxWorkers: '100%',
    // These limits only end a test that hangs. They are long, because a busy machine is slow.
    testTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    coverage: {
      include: ['src/**'],
      exclude: ['src/generated/**'],
      reporter: ['text-summary'],
    },
  },
});
