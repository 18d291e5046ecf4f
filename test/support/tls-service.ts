import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { startUpstream } from './upstream.ts';
import { wireConversation, wireMessage, wirePage } from './wire.ts';

/** The certificates of this folder share a key. `authority` signed the others, and itself. */
export const certificateFile = (name: string): string =>
  resolve(`test/support/certificates/${name}.pem`);

/** Makes a process trust the certificates that the authority signed. */
export const TRUST = { NODE_EXTRA_CA_CERTS: certificateFile('authority') };

/** Starts a messaging service that speaks https, perhaps only with who has a certificate of the authority, with one conversation of one message. */
export const startTlsService = (
  certificate: 'authority' | 'fitting' | 'expired' | 'other-host',
  { demandsCertificate = false } = {},
) =>
  startUpstream(
    {
      'GET /v1/messages/m1': wireMessage('m1'),
      'GET /v1/messages': wirePage([wireMessage('m1')]),
      'GET /v1/conversations': wirePage([wireConversation('c1')]),
    },
    {
      key: readFileSync(certificateFile('key')),
      cert: readFileSync(certificateFile(certificate)),
      ca: readFileSync(certificateFile('authority')),
      requestCert: demandsCertificate,
    },
  );
