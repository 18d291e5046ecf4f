import { readFileSync } from 'node:fs';

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);

/** By which name the service knows the gateway. */
export const USER_AGENT = `messaging-graphql/${version}`;
