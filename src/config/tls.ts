import { existsSync, readFileSync } from 'node:fs';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { type Config, ConfigError } from '../config.ts';
import { quote } from './quote.ts';

/** Reads the files of REST_CA, REST_CERT and REST_KEY. Throws a ConfigError if one cannot be used. */
export function readTls({ restCa, restCert, restKey }: Config): SecureContextOptions {
  const ca = restCa?.split(',').map((path) => read('REST_CA', path.trim()));
  if (restCert === null && restKey === null) return { ca };
  if (restCert === null || restKey === null)
    throw new ConfigError('REST_CERT and REST_KEY: set both, or none of them');
  const cert = read('REST_CERT', restCert);
  return { ca, cert, key: read('REST_KEY', restKey, cert) };
}

/** How the names of such files end. A secret that was pasted instead of a path does not end like this, so it is not shown. */
const FILE_TYPE = /\.(?:pem|crt|cer|key)$/i;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
};

/** `keyOf`: the file is the key of this certificate. Undefined: the file is a certificate. */
function read(name: string, path: string, keyOf?: string): string {
  try {
    const pem = readFileSync(path, 'utf8');
    // Node takes an empty text.
    if (!pem.includes('-----BEGIN '))
      throw Object.assign(new Error(), { code: 'no PEM' });
    createSecureContext(keyOf === undefined ? { cert: pem } : { cert: keyOf, key: pem });
    return pem;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const what = keyOf ? 'the key of REST_CERT, without a password' : 'certificates';
    const reason = REASONS[code ?? ''] ?? `it has none (${code})`;
    const isPath = FILE_TYPE.test(path) || existsSync(path);
    throw new ConfigError(
      `${name}${isPath ? `="${quote(path)}"` : ''}: takes the path of a PEM file with ${what}: ${reason}`,
    );
  }
}
