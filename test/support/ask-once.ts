import type { Environment } from '../../src/gateway.ts';
import { type AskOptions, startTestGateway } from './gateway.ts';
import { startUpstream, type UpstreamAnswer } from './upstream.ts';

/** Sends one operation to a gateway whose service gives every call the same answer. Reads are not retried. */
export async function askOnce(
  query: string,
  given: UpstreamAnswer,
  { env, ...options }: AskOptions & { env?: Environment } = {},
) {
  await using upstream = await startUpstream(() => given);
  await using gateway = await startTestGateway(upstream.url, {
    REST_RETRIES: '0',
    ...env,
  });
  const answer = await gateway.ask(query, options);
  return { ...answer, error: answer.errors?.[0], calls: upstream.lines() };
}
