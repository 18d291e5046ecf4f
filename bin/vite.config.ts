import { defineConfig } from 'vite';

/**
 * Builds the published command into few files, with the packages that it uses: otherwise Node spends most of a start on finding 800
 * files. The library is not built in this way, because it shares packages such as `graphql` with its application.
 */
export default defineConfig({
  logLevel: 'error',
  ssr: { noExternal: true },
  build: {
    ssr: 'src/main.ts',
    target: 'node22',
    // As deep as src/rest, so that `../../package.json` is the same file from both.
    outDir: 'dist/command',
    assetsDir: '',
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      // An SDK of OpenTelemetry and the gateway must have the same copy. Prometheus' library may have one of its own.
      external: (id, importer = '') =>
        id === '@opentelemetry/api' && !importer.includes('node_modules'),
      // The log names errors by their classes.
      output: { entryFileNames: '[name].js', keepNames: true },
    },
  },
});
