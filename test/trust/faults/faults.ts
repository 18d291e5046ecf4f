import { setTimeout as sleep } from 'node:timers/promises';
import type { UpstreamAnswer } from '../../support/upstream.ts';

/** A response of the service. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** What becomes of an answer by a fault. `chance` is between 0 and 1. */
type Inject = (answer: Answer, chance: number) => UpstreamAnswer;

/** Unit: milliseconds. */
const LATEST_MS = 150;
/** The longest time from an answer to the close of its connection. Unit: milliseconds. */
const CLOSING_MS = 3;
const CHUNK = 'x'.repeat(65_536);

const status =
  (code: number, body = '{"error":"injected"}', headers = {}): Inject =>
  () => ({ status: code, body, headers });

/** The ways in which a service, or the network before it, fails. */
export const FAULTS = {
  /** Answers late. */
  late: ({ status, text: body }, chance) => ({
    status,
    body,
    delayMs: chance * LATEST_MS,
  }),
  /** Never answers. */
  silent: () => ({ write: async () => {} }),
  /** Resets the connection before the head. */
  reset: () => ({ write: async ({ socket }) => void socket?.resetAndDestroy() }),
  /** Resets the connection in the middle of the body. */
  cutOff: ({ status: code, text }) => ({
    async write(response) {
      response.writeHead(code, { 'content-length': Buffer.byteLength(text) + 1 });
      response.write(text, () => response.socket?.resetAndDestroy());
    },
  }),
  /** Sends half of the JSON in a complete response. */
  half: ({ status, text }) => ({ status, body: text.slice(0, text.length / 2) }),
  /** Sends HTML. */
  notJson: status(200, '<html><h1>It works!</h1></html>'),
  /** Sends JSON of the wrong shape. */
  otherJson: status(200, '{"data":[null,7,{"id":[]}],"has_more":1}'),
  /** Sends a body that never ends. */
  endless: () => ({
    async write(response) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"has_more":false,"data":["');
      const more = () => {
        while (!response.destroyed && response.write(CHUNK));
      };
      response.on('drain', more);
      more();
    },
  }),
  /** Answers well, then closes the kept connection, perhaps during the next request. */
  closing: ({ status: code, text }, chance) => ({
    async write(response) {
      const { socket } = response;
      response.writeHead(code, { 'content-type': 'application/json' }).end(text);
      await sleep(chance * CLOSING_MS);
      socket?.destroy();
    },
  }),
  500: status(500),
  502: status(502, '<html>Bad Gateway</html>'),
  503: status(503),
  429: status(429, '{"error":"slow down"}', { 'retry-after': '1' }),
} as const satisfies Record<string, Inject>;

/** Object keys are strings, even those that look like numbers. */
export type Fault = `${keyof typeof FAULTS}`;

export type Faults = readonly [Fault, ...Fault[]];
export const EVERY_FAULT: Faults = Object.keys(FAULTS) as [Fault, ...Fault[]];
/** A service that is down: each of these counts for the circuit breaker. */
export const DOWN: Faults = ['silent', 'reset', '500', '503'];
