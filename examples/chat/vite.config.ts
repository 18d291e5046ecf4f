import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  // The files of examples/ outside this folder would find the packages of the gateway's own tests.
  resolve: { dedupe: ['@apollo/client', 'graphql', 'graphql-ws', 'rxjs'] },
});
