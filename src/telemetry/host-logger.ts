const METHODS = ['debug', 'info', 'warn', 'error'] as const;

/** A logger of the process that the gateway runs in, such as pino's, or `app.log` of Fastify: what the gateway uses of it. */
export interface HostLogger {
  debug(fields: object | string, text?: string): void;
  info(fields: object | string, text?: string): void;
  warn(fields: object | string, text?: string): void;
  error(fields: object | string, text?: string): void;
}

export const isHostLogger = (value: unknown): value is HostLogger =>
  typeof value === 'object' &&
  value !== null &&
  METHODS.every((name) => name in value && typeof value[name as never] === 'function');
