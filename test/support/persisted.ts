import { createHash } from 'node:crypto';
import { ask, type GraphqlAnswer } from './gateway.ts';
import { post } from './http.ts';

export const sha256 = (text: string): string =>
  createHash('sha256').update(text).digest('hex');

export const named = (hash: string) => ({
  persistedQuery: { version: 1, sha256Hash: hash },
});

/** Sends an operation with its text and its hash, which registers it. */
export const register = (url: string, query: string): Promise<GraphqlAnswer> =>
  ask(url, query, { extensions: named(sha256(query)) });

/** Sends the hash of an operation alone. */
export async function askByHash(url: string, hash: string): Promise<GraphqlAnswer> {
  const headers = { authorization: 'Bearer ann-token' };
  const response = await post(url, { extensions: named(hash) }, headers);
  return {
    ...((await response.json()) as GraphqlAnswer),
    status: response.status,
    headers: response.headers,
  };
}
