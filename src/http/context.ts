import type { Logger } from 'pino';
import type { CallerOf } from '../callers/caller-id.ts';
import type { OperationTime } from '../callers/time-limit.ts';
import type { Operations } from '../operation/request.ts';
import type { Meters } from '../rest/bytes.ts';
import type { Drain } from './drain.ts';
import type { ExplorerFiles } from './explorer-files.ts';
import type { ForwardedNames } from './forwarded.ts';
import type { CorsOrigins } from './headers.ts';
import type { Incoming } from './incoming.ts';
import type { SlowClient, SlowClientGuard } from './slow-clients.ts';
import type { Streams } from './streams.ts';

/** What the server is given: the operations behind it, the settings that it needs, and what it shares with others. */
export interface ServerOptions extends Pick<Operations, 'run' | 'subscribe'> {
  readonly corsOrigins: CorsOrigins;
  /** Whether a browser gets a page at /graphql. */
  readonly servesExplorer: boolean;
  /** Null: there are none. */
  readonly explorerFiles: ExplorerFiles | null;
  /** WebSockets of all callers. One may have four fifths of them. */
  readonly maxSubscriptions: number;
  /** How much of the answers that are being sent may wait, together. Unit: bytes. */
  readonly maxSendingBytes: number;
  readonly operationTime: OperationTime;
  /** Counts the long requests that are being answered. */
  readonly holdRequest: Meters['holdRequest'];
  readonly callerOf: CallerOf;
  readonly forwardHeaders: ForwardedNames;
  readonly streams: Streams;
  /** Null: /metrics is not served, and nothing is counted. */
  readonly metrics: MetricsPage | null;
  /** Whether the service answers, and what the process has learned of it, as JSON. */
  readonly readiness: () => object;
  readonly log: Logger;
}

/** The metrics that /metrics shows, and the counters of answers and of slow clients. */
interface MetricsPage {
  readonly contentType: string;
  text(): Promise<string>;
  /** `route`: the name of a Route. */
  countResponse(route: string, status: number): void;
  countSlowClient(reason: SlowClient['reason']): void;
}

/** What everything that serves a request shares. */
export interface HttpContext extends ServerOptions {
  readonly incoming: Incoming;
  readonly slowClients: SlowClientGuard;
  readonly drain: Drain;
  /** Counts an answer. `route`: the name of a Route. */
  readonly count: (route: string, status: number) => void;
  /** Logs a bug, or an error that broke an answer off. */
  readonly failed: (requestId: string, error: unknown) => void;
}
