import type { GatewayContext } from '../context.ts';

/** What the HTTP side of the gateway knows of one operation, beside what resolvers see. */
export interface OperationContext extends GatewayContext {
  readonly requestId: string;
  /** Takes the caller's token out of a text. */
  readonly redact: (text: string) => string;
}
