import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { createRedactor, type Redact } from '../rest/redact.ts';
import { ProbeError } from './session.ts';

/** The standard streams; `process` has them. */
export interface Streams {
  readonly stdin: Input;
  readonly stdout: Writable & { readonly columns?: number };
  readonly stderr: Writable;
}

/** Open point: tokens. These characters fit in a header. */
const TOKEN = /^[\x21-\x7e]+$/;

/** The token of MESSAGING_TOKEN, or else of a prompt; throws ProbeError if there is none, or it cannot be sent. */
export async function readToken(
  env: Readonly<Record<string, string | undefined>>,
  streams: Streams,
): Promise<string> {
  return checkToken(env.MESSAGING_TOKEN || (await askToken(streams)));
}

/** A shorter token is part of ordinary words, so removing it would make the report unreadable. Unit: characters. */
const SHORTEST_REDACTED = 8;

/** Removes the token from what a command prints, because the service may have sent it back. */
export const createReportRedactor = (token: string): Redact =>
  createRedactor(token.length < SHORTEST_REDACTED ? null : token);

/** Removes the token from every text in a report; keys stay the same. */
export const redactTexts = <T>(report: T, redact: Redact): T =>
  JSON.parse(JSON.stringify(report), (_key, value) =>
    typeof value === 'string' ? redact(value) : value,
  );

/** A random token, which the service should reject. */
export const createToken = (): string => `nobody-${randomBytes(12).toString('hex')}`;

/** Returns the token unchanged; throws a ProbeError that does not repeat it. */
export function checkToken(token: string): string {
  if (TOKEN.test(token)) return token;
  throw new ProbeError(
    'A token must be visible ASCII characters without spaces, and without "Bearer" before it.',
  );
}

async function askToken({ stdin, stderr }: Streams): Promise<string> {
  if (stdin.isTTY !== true) {
    throw new ProbeError(
      'There is no token: set MESSAGING_TOKEN, or run the command on a terminal, where it asks for one.',
    );
  }
  const typed = await askSecret('Access token (not shown): ', {
    input: stdin,
    output: stderr,
  });
  if (typed.trim() === '') throw new ProbeError('No token was given.');
  return typed.trim();
}

/** Standard input. In raw mode, a terminal does not show what is typed. */
interface Input extends Readable {
  readonly isTTY?: boolean | undefined;
  setRawMode?(isRaw: boolean): unknown;
}

/** Asks for a secret on a terminal and does not show it. Throws ProbeError if the user cancels. */
async function askSecret(
  question: string,
  { input, output }: { input: Input; output: Writable },
): Promise<string> {
  output.write(question);
  const nowhere = new Writable({ write: (_part, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true });
  try {
    return await new Promise((resolve, reject) => {
      lines.once('line', resolve);
      lines.once('close', () => reject(new ProbeError('No token was given.')));
    });
  } finally {
    lines.close();
    output.write('\n');
  }
}
