import { parseBaseAddress } from '../rest/address.ts';
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
  /** Receives one line before each call. */
  readonly onProgress?: ((line: string) => void) | undefined;
}

/** Open point: rate limits. Any service should accept this many calls within a minute. */
const MAX_CALLS = 60;
/** Of one call and its response; the defaults of REST_TIMEOUT_MS and MAX_RESPONSE_BYTES. */
const BOUNDS = { timeoutMs: 10_000, maxResponseBytes: 16 * 1024 * 1024 };

/**
 * Finds out, with reads only, how a live service settles the open points of the interface. Throws ProbeError if that is
 * impossible: no service at the address, a token that it rejects, another interface.
 */
export async function probe(options: ProbeOptions): Promise<ProbeReport> {
  const { token } = options;
  const url = toBaseAddress(options.url);
  checkToken(token);
  const redact = createReportRedactor(token);
  const onProgress = (line: string) => options.onProgress?.(redact(line));
  onProgress(`At most ${MAX_CALLS} reads from ${url}; nothing is written.`);

  const target = { url, token, ...BOUNDS };
  const session = createSession({ target, maxCalls: MAX_CALLS, onProgress });
  const study = createStudy();
  let stopped: string | null = null;
  try {
    await runStudy(session, study);
  } catch (error) {
    if (error instanceof ProbeError) throw new ProbeError(redact(error.message));
    if (!(error instanceof Stopped)) throw error;
    stopped = error.message;
  } finally {
    await session.client.close();
  }
  return redactTexts(conclude(study, { session, stopped }), redact);
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

/** Redacts every text in the report; keys stay the same. */
const redactTexts = (
  report: ProbeReport,
  redact: (text: string) => string,
): ProbeReport =>
  JSON.parse(JSON.stringify(report), (_key, value) =>
    typeof value === 'string' ? redact(value) : value,
  );
