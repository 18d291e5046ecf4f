import { Agent, request } from 'node:http';

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
const EVENT = 'event: next';

/** Opens a subscription as a stream of events, and reads what comes; `onEvent` is called for each event. */
export function openStream(
  url: string,
  query: string,
  token: string,
  onEvent = () => {},
): Promise<void> {
  const headers = {
    accept: 'text/event-stream',
    'content-type': 'application/json',
    authorization: `Bearer ${token}`,
  };
  return new Promise((resolve, reject) => {
    request(`${url}/graphql`, { agent, method: 'POST', headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
      response
        .on('error', () => {})
        .on('data', (data: Buffer) => {
          for (let at = data.indexOf(EVENT); at !== -1; at = data.indexOf(EVENT, at + 1))
            onEvent();
        })
        .once('data', () => resolve());
    })
      .on('error', reject)
      .end(JSON.stringify({ query }));
  });
}
