import { defineConfig } from 'vitest/config';

const ALL = ['test/**/*.test.ts'];
/** What starts processes of its own, or asserts how much time or memory something takes. */
const PROCESSES = 'test/processes/**/*.test.ts';
/** What needs the packages of test/ci/tools. */
const TOOLS = 'test/ci/tools/*.test.ts';

export default defineConfig({
  // graphql has an ES and a CommonJS copy. Dependencies load the second, so the tests must load it too.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    // `npm test` runs the first, `npm run test:processes` the second, `npm run test:tools` the third.
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: ALL,
          exclude: [PROCESSES, TOOLS],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'processes', include: [PROCESSES] } },
      { extends: true, test: { name: 'tools', include: [TOOLS] } },
    ],
    // The default leaves one core idle, which is half of a machine with two cores.
    maxWorkers: 4,
    // These limits only end a test that hangs. They are long, because a busy machine is slow.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { interval: 10, timeout: 60_000 } },
    coverage: {
      include: ['src/**'],
      exclude: ['src/generated/**'],
      reporter: ['text-summary'],
    },
  },
});
