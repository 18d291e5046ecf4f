import { randomBytes } from 'node:crypto';
import { parseBaseAddress } from '../rest/address.ts';
import { createRawClient } from '../rest/raw.ts';
import { conclude } from './conclude.ts';
import { ProbeError, Stopped } from './errors.ts';
import type { ProbeReport } from './report.ts';
import { createSession } from './session.ts';
import { createStudy, runStudy } from './study.ts';
import { checkToken, createReportRedactor } from './token.ts';

interface ProbeOptions {
  /** The service's base address, without `/v1`. */
  readonly url: string;
  /** The bearer token, without "Bearer ". */
  readonly token: string;
  /** The most calls to the service; 60 by default, and never more. */
  readonly maxCalls?: number | undefined;
  /** Receives one line before each call. */
  readonly onProgress?: ((line: string) => void) | undefined;
  /** Ends the probe early; the report has the findings until then. */
  readonly signal?: AbortSignal | undefined;
}

/** Open point: rate limits. Any service should accept this many calls within a minute. */
const MAX_CALLS = 60;
/** The longest time of one call, to the last byte of its response. */
const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/**
 * Finds out, with reads only, how a live service settles the open points of the interface. Throws ProbeError if that is
 * impossible: no service at the address, a token that it rejects, another interface.
 */
export async function probe(options: ProbeOptions): Promise<ProbeReport> {
  const { token, signal = new AbortController().signal } = options;
  const url = toBaseAddress(options.url);
  checkToken(token);
  const maxCalls = Math.min(options.maxCalls ?? MAX_CALLS, MAX_CALLS);
  const redact = createReportRedactor(token);
  const onProgress = (line: string) => options.onProgress?.(redact(line));
  onProgress(`At most ${maxCalls} reads from ${url}; nothing is written.`);

  const limits = { timeoutMs: TIMEOUT_MS, maxResponseBytes: MAX_RESPONSE_BYTES };
  const client = createRawClient({ url, token, signal, ...limits });
  const stranger = createRawClient({ url, token: createToken(), signal, ...limits });
  const session = createSession({ client, maxCalls, signal, onProgress });
  const study = createStudy();
  let stopped: string | null = null;
  try {
    await runStudy(session, study, stranger);
  } catch (error) {
    if (error instanceof ProbeError) throw new ProbeError(redact(error.message));
    if (!(error instanceof Stopped)) throw error;
    stopped = error.message;
  } finally {
    await Promise.all([client.close(), stranger.close()]);
  }
  return redactTexts(conclude(study, { url, session, stopped }), redact);
}

/** Throws a ProbeError that never repeats the address: it may be a misplaced token, or contain a password. */
export function toBaseAddress(text: string): string {
  const address = parseBaseAddress(text);
  if (address === null) {
    throw new ProbeError(
      'The base address must be an http or https address without credentials, query or fragment, such as https://messaging.example.',
    );
  }
  if (!address.hasVersion) return address.url;
  throw new ProbeError(
    'Give the base address without "/v1" at its end: the probe adds it.',
  );
}

/** A random token, which the service should reject. */
export const createToken = (): string => `nobody-${randomBytes(12).toString('hex')}`;

/** Redacts every text in the report; keys stay the same. */
const redactTexts = (
  report: ProbeReport,
  redact: (text: string) => string,
): ProbeReport =>
  JSON.parse(JSON.stringify(report), (_key, value) =>
    typeof value === 'string' ? redact(value) : value,
  );
