import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { wireConversation, wireMessage, wirePage } from './wire.ts';

/** The certificates of this folder share a key. `authority` signed the others, and itself. */
const file = (name: string): string => resolve(`test/support/certificates/${name}.pem`);

/** Makes a process trust the certificates that the authority signed. */
export const TRUST = { NODE_EXTRA_CA_CERTS: file('authority') };

/** Starts a messaging service that speaks https, with one conversation of one message. */
export async function startTlsService(
  certificate: 'authority' | 'fitting' | 'expired' | 'other-host',
): Promise<AsyncDisposable & { readonly url: string }> {
  const options = {
    key: readFileSync(file('key')),
    cert: readFileSync(file(certificate)),
  };
  const server = createServer(options, ({ url = '' }, response) => {
    const item = url.startsWith('/v1/messages')
      ? wireMessage('m1')
      : wireConversation('c1');
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(wirePage([item])));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
