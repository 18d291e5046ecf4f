import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { ProbeError } from './session.ts';

/** The standard streams; `process` has them. In raw mode, a terminal does not show what is typed. */
export interface Stdio {
  readonly stdin: Readable & {
    readonly isTTY?: boolean | undefined;
    setRawMode?(isRaw: boolean): unknown;
  };
  readonly stdout: Writable & { readonly columns?: number };
  readonly stderr: Writable;
}

/** The token of MESSAGING_TOKEN, or else of a prompt; throws a ProbeError that does not repeat it if it cannot be sent. */
export async function readToken(
  env: Readonly<Record<string, string | undefined>>,
  streams: Stdio,
): Promise<string> {
  const token = env.MESSAGING_TOKEN || (await askToken(streams)).trim();
  if (token === '') throw new ProbeError('No token was given.');
  // Open point: tokens. These characters fit in a header.
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new ProbeError(
    'A token must be visible ASCII characters without spaces, and without "Bearer" before it.',
  );
}

/** A random token, which the service should reject. */
export const createToken = (): string => `nobody-${randomBytes(12).toString('hex')}`;

/** Asks on a terminal, and does not show what is typed; the empty text if the user cancels. */
async function askToken({ stdin: input, stderr }: Stdio): Promise<string> {
  if (input.isTTY !== true) {
    throw new ProbeError(
      'There is no token: set MESSAGING_TOKEN, or run the command on a terminal, where it asks for one.',
    );
  }
  stderr.write('Access token (not shown): ');
  const output = new Writable({ write: (_part, _encoding, done) => done() });
  const lines = createInterface({ input, output, terminal: true });
  const typed = await new Promise<string>((resolve) => {
    lines.once('line', resolve);
    lines.once('close', () => resolve(''));
  });
  lines.close();
  stderr.write('\n');
  return typed;
}
