import { defineConfig } from 'vitest/config';

export default defineConfig({
  // graphql ships an ES and a CommonJS copy; dependencies load the second, so the tests do too.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    // The default leaves a core idle, which on two is half the machine.
    maxWorkers: '100%',
    // A busy machine is slow, not wrong: these bound a hang, they do not judge speed.
    testTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
    coverage: {
      include: ['src/**'],
      exclude: ['src/generated/**'],
      reporter: ['text-summary'],
    },
  },
});
