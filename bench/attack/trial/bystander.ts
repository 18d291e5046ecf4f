import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { TOKEN_OF_B } from './service.ts';

/** What B got, another caller that sends one operation again and again. */
export interface Others {
  readonly asked: number;
  /** Answered in time, with the bytes that B gets alone. */
  readonly answered: number;
  /** Of the answers of another length or content. */
  readonly different: number;
  /** Unit: milliseconds. */
  readonly longestMs: number;
  readonly p99Ms: number;
}

export interface Bystander {
  stop(): Promise<Others>;
}

/** Unit: milliseconds. */
const PERIOD = 15;
/** Other processes of a busy machine take some seconds, too. Unit: milliseconds. */
const ANSWERED_WITHIN = 5000;

export const OPERATION_OF_B = JSON.stringify({
  query: '{ conversation(id: "b1") { id messages(first: 3) { nodes { id message } } } }',
});

/** `expected`: the answer that B gets alone; null to take the first one for it. */
export function startBystander(url: string, expected: string | null): Bystander {
  const agent = new Agent({ connections: 1 });
  const times: number[] = [];
  let answered = 0;
  let different = 0;
  let isOver = false;
  let first = expected;
  async function run(): Promise<void> {
    while (!isOver) {
      const began = performance.now();
      const text = await askAsB(url, OPERATION_OF_B, agent);
      times.push(performance.now() - began);
      first ??= text;
      if (text !== null && text === first) answered += 1;
      else if (text?.startsWith('200')) different += 1;
      await sleep(PERIOD);
    }
  }
  const running = run();
  return {
    async stop() {
      isOver = true;
      await running;
      await agent.destroy();
      times.sort((one, other) => one - other);
      return {
        asked: times.length,
        answered,
        different,
        longestMs: times.at(-1) ?? 0,
        p99Ms: times[Math.floor(times.length * 0.99)] ?? 0,
      };
    },
  };
}

/** The status and the body of an answer to B; null if there is none in time. */
export async function askAsB(
  url: string,
  body: string | Buffer,
  dispatcher = new Agent({ connections: 1 }),
): Promise<string | null> {
  try {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'accept-encoding': 'identity',
        authorization: `Bearer ${TOKEN_OF_B}`,
      },
      body,
      dispatcher,
      signal: AbortSignal.timeout(ANSWERED_WITHIN),
    });
    return `${response.status} ${await response.text()}`;
  } catch {
    return null;
  }
}
