import { readFileSync } from 'node:fs';

/** The package has its file beside `src` and beside `dist`. */
export const { version: VERSION } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);

/** By which name the service knows the gateway. */
export const USER_AGENT = `messaging-graphql/${VERSION}`;
