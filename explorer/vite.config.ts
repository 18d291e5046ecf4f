import { defineConfig } from 'vite';

/** Builds the script of the page at /graphql, and GraphiQL, into files for src/http/explorer-files.ts. */
export default defineConfig({
  root: import.meta.dirname,
  // The script finds the other files beside itself, wherever a proxy serves it.
  base: './',
  logLevel: 'error',
  build: {
    target: 'es2022',
    outDir: '../dist/explorer',
    emptyOutDir: true,
    // The packages in the files ask to keep their licenses with them.
    license: { fileName: 'licenses.md' },
    // One folder, so that a name is all that a request can choose.
    assetsDir: '',
    rolldownOptions: {
      input: 'start.ts',
      output: { entryFileNames: '[name].js' },
    },
  },
});
