import { createGateway, type GatewayOptions } from '../../src/gateway.ts';
import { type Script, startUpstream, withService } from '../support/upstream.ts';

/** A gateway in this process in front of a service. */
export const createTestGateway = (messagingUrl: string, options: GatewayOptions = {}) =>
  createGateway({ messagingUrl, logLevel: 'silent', ...options });

/** The same in front of a service that follows a script. */
export async function createScripted(script?: Script, options: GatewayOptions = {}) {
  const service = await startUpstream(script);
  return withService(await createTestGateway(service.url, options), service);
}

/** A logger that keeps its lines. */
export function keepLines() {
  const lines: Record<string, unknown>[] = [];
  const write = (level: string) => (entry: unknown, msg?: string) => {
    lines.push(
      typeof entry === 'string'
        ? { level, msg: entry }
        : { level, ...Object(entry), msg },
    );
  };
  const logger = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
  return { lines, logger };
}

export const MESSAGE = '{ message(id: "m1") { message } }';
export const MESSAGE_DATA = { message: { message: 'text m1' } };

/** A service that does not answer, and a gateway that waits for it longer than a test may take. */
export const SILENT = () => ({ delayMs: 600_000 });
export const PATIENT = { restTimeoutMs: 600_000, operationTimeoutMs: 600_000 };
