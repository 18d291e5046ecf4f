import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** A response of the service. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Sends an answer with a fault in it. `chance` is between 0 and 1. */
type Inject = (response: ServerResponse, answer: Answer, chance: number) => Promise<void>;

/** Unit: milliseconds. */
const LATEST_MS = 150;
/** The longest time from an answer to the close of its connection. Unit: milliseconds. */
const CLOSING_MS = 3;
const CHUNK = 'x'.repeat(65_536);

const status =
  (code: number, text = '{"error":"injected"}', headers = {}): Inject =>
  async (response) => {
    respond(response, { status: code, text }, headers);
  };

/** The ways in which a service, or the network before it, fails. */
export const FAULTS = {
  /** Answers late. */
  late: async (response, answer, chance) => {
    await sleep(chance * LATEST_MS);
    respond(response, answer);
  },
  /** Never answers. */
  silent: async () => {},
  /** Resets the connection before the head. */
  reset: async (response) => {
    response.socket?.resetAndDestroy();
  },
  /** Resets the connection in the middle of the body. */
  cutOff: async (response, { status: code, text }) => {
    response.writeHead(code, { 'content-length': Buffer.byteLength(text) + 1 });
    response.write(text, () => response.socket?.resetAndDestroy());
  },
  /** Sends half of the JSON in a complete response. */
  half: async (response, answer) => {
    respond(response, { ...answer, text: answer.text.slice(0, answer.text.length / 2) });
  },
  /** Sends HTML. */
  notJson: async (response) => {
    respond(response, { status: 200, text: '<html><h1>It works!</h1></html>' });
  },
  /** Sends JSON of the wrong shape. */
  otherJson: async (response) => {
    respond(response, { status: 200, text: '{"data":[null,7,{"id":[]}],"has_more":1}' });
  },
  /** Sends a body that never ends. */
  endless: async (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"has_more":false,"data":["');
    const more = () => {
      while (!response.destroyed && response.write(CHUNK));
    };
    response.on('drain', more);
    more();
  },
  /** Answers well, then closes the kept connection, perhaps during the next request. */
  closing: async (response, answer, chance) => {
    const { socket } = response;
    respond(response, answer);
    await sleep(chance * CLOSING_MS);
    socket?.destroy();
  },
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

export function respond(
  response: ServerResponse,
  { status: code, text }: Answer,
  headers: Record<string, string> = {},
): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers });
  response.end(text);
}
