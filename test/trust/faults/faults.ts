import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** What the service says when nothing is wrong. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Spoils one answer; `chance` is between 0 and 1. */
type Spoil = (response: ServerResponse, answer: Answer, chance: number) => Promise<void>;

/** Unit: milliseconds. */
const LATEST_MS = 150;
/** How long after its answer a kept connection is closed at most. Unit: milliseconds. */
const CLOSING_MS = 3;
const CHUNK = 'x'.repeat(65_536);

const status =
  (code: number, text = '{"error":"injected"}', headers = {}): Spoil =>
  async (response) => {
    respond(response, { status: code, text }, headers);
  };

/** Every way in which a service, or the network before it, fails. */
export const FAULTS = {
  /** Answers, but not at once. */
  late: async (response, answer, chance) => {
    await sleep(chance * LATEST_MS);
    respond(response, answer);
  },
  /** Never answers; whoever asked must give up. */
  silent: async () => {},
  /** Resets the connection instead of a head. */
  reset: async (response) => {
    response.socket?.resetAndDestroy();
  },
  /** Resets the connection in the middle of the body. */
  cutOff: async (response, { status: code, text }) => {
    response.writeHead(code, { 'content-length': Buffer.byteLength(text) + 1 });
    response.write(text, () => response.socket?.resetAndDestroy());
  },
  /** Half the JSON, properly ended. */
  half: async (response, answer) => {
    respond(response, { ...answer, text: answer.text.slice(0, answer.text.length / 2) });
  },
  /** A page for people. */
  notJson: async (response) => {
    respond(response, { status: 200, text: '<html><h1>It works!</h1></html>' });
  },
  /** JSON, but of no shape the interface has. */
  otherJson: async (response) => {
    respond(response, { status: 200, text: '{"data":[null,7,{"id":[]}],"has_more":1}' });
  },
  /** A body without an end. */
  endless: async (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"has_more":false,"data":["');
    const more = () => {
      while (!response.destroyed && response.write(CHUNK));
    };
    response.on('drain', more);
    more();
  },
  /** A good answer; then the kept connection is closed, perhaps under the next request. */
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
} as const satisfies Record<string, Spoil>;

/** Object keys are texts, those that look like numbers too. */
export type Fault = `${keyof typeof FAULTS}`;

export function respond(
  response: ServerResponse,
  { status: code, text }: Answer,
  headers: Record<string, string> = {},
): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers });
  response.end(text);
}
