import type { Budget } from '../cost/budget.ts';
import type { GatewayContext } from '../resolvers/context.ts';
import type { Journal } from '../telemetry/call-log.ts';
import type { Watch } from '../telemetry/observer.ts';

/** What the HTTP side of the gateway knows of one operation, beside what resolvers see. */
export interface OperationContext extends GatewayContext {
  readonly requestId: string;
  /** The REST calls it may make, and has made. */
  readonly budget: Budget;
  /** Takes the caller's token out of a text. */
  readonly redact: (text: string) => string;
  /** Told how it ends. */
  readonly watch: Watch;
  /** The calls it made; null when nobody may ask for them. */
  readonly journal: Journal | null;
}
