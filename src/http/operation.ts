import type { GatewayContext } from '../context.ts';
import type { Budget } from '../price/budget.ts';
import type { Journal } from '../telemetry/journal.ts';
import type { Watch } from '../telemetry/watch.ts';

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
