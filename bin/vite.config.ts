import { defineConfig } from 'vite';

/**
 * Builds the published command (`--mode command`) and the library (`--mode library`), each into few files with the packages that it uses:
 * otherwise Node spends most of a start on finding 800 files. The library shares `graphql` with its application; in the command it is
 * built in, because finding its files takes 100 ms.
 */
export default defineConfig(({ mode }) => ({
  logLevel: 'error',
  ssr: { noExternal: true },
  build: {
    ssr: mode === 'library' ? 'src/gateway.ts' : 'src/main.ts',
    target: 'node22',
    // As deep as src/rest, so that `../../package.json` is the same file from both.
    outDir: `dist/${mode}`,
    assetsDir: '',
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      // Otherwise gateway.js also exports what its own other files import from it, and `require` gives that to applications.
      preserveEntrySignatures: 'strict',
      external: (id, importer = '') =>
        (mode === 'library' && /^graphql(\/|$)/.test(id)) ||
        // An SDK of OpenTelemetry and the gateway must have the same copy. Prometheus' library may have one of its own.
        (id === '@opentelemetry/api' && !importer.includes('node_modules')),
      // The log names errors by their classes.
      output: { entryFileNames: '[name].js', keepNames: true },
    },
  },
}));
