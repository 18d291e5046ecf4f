import { expect, test } from 'vitest';
import {
  ConfigError,
  type Environment,
  loadConfig,
  toEnvironmentName,
} from '../src/config.ts';

/** Returns the lines of the error; empty if the settings are valid. */
function problems(env: Environment): string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message.split('\n');
  }
}

// test/readme.test.ts compares the defaults with those that the README promises.
test('every setting can be set', () => {
  const settings: [name: string, text: string, value: unknown][] = [
    ['MESSAGING_URL', 'https://api.example/messaging/', 'https://api.example/messaging'],
    ['HOST', '0.0.0.0', '0.0.0.0'],
    ['PORT', '0', 0],
    ['PAGING', 'starting_after', 'starting_after'],
    ['PAGING_PARAM', 'since', 'since'],
    ['PAGING_BACK_PARAM', 'until', 'until'],
    ['PAGING_UNKNOWN_ID', 'first', 'first'],
    ['MAX_LIMIT', '25', 25],
    ['LIST_ORDER', 'oldest', 'oldest'],
    ['TIMESTAMP_UNIT', 'milliseconds', 'milliseconds'],
    ['MAX_PAGE_SIZE', '50', 50],
    ['MAX_REST_CALLS', '200', 200],
    ['MAX_CALLS_PER_LIST', '5', 5],
    ['REST_TIMEOUT_MS', '1000', 1000],
    ['OPERATION_TIMEOUT_MS', '5000', 5000],
    [
      'REST_HEADERS',
      'X-Api-Key: s3cret: 1\n\n  x-tenant:a\r\n',
      { 'x-api-key': 's3cret: 1', 'x-tenant': 'a' },
    ],
    ['FORWARD_HEADERS', 'X-Org, x-locale,X-ORG', ['x-org', 'x-locale']],
    ['REST_PROXY', 'http://ann:word@proxy:1', 'http://ann:word@proxy:1'],
    ['REST_CA', 'a.pem,b.pem', 'a.pem,b.pem'],
    ['REST_CERT', 'c.pem', 'c.pem'],
    ['REST_KEY', 'k.pem', 'k.pem'],
    ['REST_CONNECTIONS', '8', 8],
    ['REST_QUEUE', '6', 6],
    ['REST_RETRIES', '1', 1],
    ['MAX_RESPONSE_BYTES', '1000000', 1_000_000],
    ['LOG_LEVEL', 'silent', 'silent'],
    [
      'CORS_ORIGINS',
      'https://a.example,http://localhost:3000',
      ['https://a.example', 'http://localhost:3000'],
    ],
    ['INTROSPECTION', 'false', false],
    ['EXPLORER', 'local', 'local'],
    ['TRUSTED_DOCUMENTS', 'ops/manifest.json', 'ops/manifest.json'],
    ['TRUSTED_DOCUMENTS_MODE', 'report', 'report'],
    ['METRICS', 'false', false],
    ['REST_DEBUG', 'true', true],
    ['LIVE', 'false', false],
    ['LIVE_POLL_MS', '500', 500],
    ['MAX_SUBSCRIPTIONS', '20', 20],
    ['WORKERS', 'auto', 'auto'],
    [
      'REDIS_URL',
      'rediss://me:secret@redis.example/2',
      'rediss://me:secret@redis.example/2',
    ],
  ];

  const config = loadConfig(
    Object.fromEntries(settings.map(([name, text]) => [name, text])),
  );

  expect(
    Object.entries(config).map(([key, value]) => [toEnvironmentName(key), value]),
  ).toEqual(settings.map(([name, _text, value]) => [name, value]));
});

test.each([
  [
    'MESSAGING_URL',
    ['', 'api.example', 'ftp://x', 'https://x/v1?', 'https://x/v1#', 'Embedded'],
  ],
  ['HOST', ['', 'a b', 'a/b', '[::1]']],
  ['PORT', ['', 'abc', '-1', '65536', '1.5', '0x50', ' 80']],
  ['PAGING', ['', 'cursor', 'Limit', 'toString']],
  ['PAGING_PARAM', ['', 'a b', 'limit', 'conversation_id', 'a&b']],
  ['PAGING_BACK_PARAM', ['', 'muted', 'a=b']],
  ['PAGING_UNKNOWN_ID', ['', 'empty']],
  ['MAX_LIMIT', ['0', 'none']],
  ['LIST_ORDER', ['', 'desc', 'Newest']],
  ['TIMESTAMP_UNIT', ['', 'ms', 'toString']],
  ['MAX_PAGE_SIZE', ['0', 'ten']],
  ['MAX_REST_CALLS', ['0', 'all']],
  ['MAX_CALLS_PER_LIST', ['0', '-5']],
  ['REST_TIMEOUT_MS', ['0', '1e3', '2147483648']],
  ['OPERATION_TIMEOUT_MS', ['0', '30s']],
  ['REST_CONNECTIONS', ['0', '70000']],
  ['REST_QUEUE', ['-1', 'long']],
  ['REST_RETRIES', ['-1', '1000']],
  ['MAX_RESPONSE_BYTES', ['0', '16MB']],
  ['LOG_LEVEL', ['', 'verbose']],
  [
    'CORS_ORIGINS',
    [
      '',
      'https://*.example',
      'app.example',
      'https://app.example/',
      'https://a.example,,https://b.example',
      '*,https://a.example',
      'localhost:3000,localhost:5173',
    ],
  ],
  ['INTROSPECTION', ['', 'yes', 'TRUE', '1']],
  ['TRUSTED_DOCUMENTS', ['']],
  ['LIVE_POLL_MS', ['99', '2s', '1:00']],
  ['METRICS', ['', 'on']],
  ['REST_DEBUG', ['1', 'yes']],
  ['WORKERS', ['', '0', '257', 'all', '1.5', 'Auto']],
  ['REDIS_URL', ['', 'http://redis.example', 'redis://', 'redis://x/name']],
])('the error for a wrong %s has its name, value and what it takes', (name, values) => {
  for (const value of values) {
    const [line, ...more] = problems({ [name]: value });

    expect(line?.startsWith(`${name}="${value}": takes `), value).toBe(true);
    expect(more).toEqual([]);
  }
});

// security: secret-headers
test.each([
  '',
  's3cret',
  'X Key: s3cret',
  ': s3cret',
  'X-Key: s3cret\u0001',
  '{"X-Key": 1, "s3cret": true}',
  '{"X-Key": "s3cret"',
  'X-Key: 1\nAuthorization: s3cret',
  'X-Key: s3cret\nx-key: 2',
  'Accept-Encoding: s3cret',
  'Host: s3cret',
])('a wrong REST_HEADERS is not repeated: %j', (value) => {
  const [line, ...more] = problems({ REST_HEADERS: value });

  expect(line?.startsWith('REST_HEADERS: takes headers')).toBe(true);
  expect([line, ...more].join()).not.toContain('s3cret');
  expect(more).toEqual([]);
});

// security: secret-headers
test.each(['-----BEGIN PRIVATE KEY-----\ns3cret\n', 's3cret\n'])(
  'a key where its path belongs is not repeated: %j',
  (REST_KEY) => {
    expect(problems({ REST_KEY, REST_CERT: 'cert.pem' })).toEqual([
      'REST_KEY: takes the path of a file',
    ]);
  },
);

test.each([
  ['X-Org,,X-Locale', 'names of headers, comma-separated'],
  ['X-Org: s3cret', 'names of headers, comma-separated'],
  ['Set-Cookie', 'headers that the gateway does not write itself: not set-cookie'],
  ['__proto__', 'headers that the gateway does not write itself: not __proto__'],
  ['X-Org,Host', 'headers that the gateway does not write itself: not host'],
  ['X-Org,X-Api-Key', 'no header of REST_HEADERS: not x-api-key'],
])('a wrong FORWARD_HEADERS is one line: %j', (FORWARD_HEADERS, takes) => {
  expect(problems({ FORWARD_HEADERS, REST_HEADERS: 'X-Api-Key: 1' })).toEqual([
    `FORWARD_HEADERS: takes ${takes}`,
  ]);
});

// These are not repeated as they are: what may be a password is left out.
// security: password-in-address
test.each([
  ['https://ann:s3cret@api.example', 'https://[hidden]@api.example'],
  ['https://s3cret@api.example', 'https://[hidden]@api.example'],
  ['https://ann:s3c/r3t@api.example/base', 'https://[hidden]@api.example/base'],
  ['https://ann:s3c@r3t@api.example', 'https://[hidden]@api.example'],
  ['ann:s3cret@api.example', '[hidden]@api.example'],
  ['https:/ann:s3cret@', 'https:/[hidden]@'],
  ['https://ann:s3c/r3t', 'https://ann:[hidden]'],
  ['https://ann:123456789', 'https://ann:[hidden]'],
  ['https//ann:s3cret', 'https//ann:[hidden]'],
  ['ftp://ann:s3cret@api.example', 'ftp://[hidden]@api.example'],
  ['https://api.example?key=s3cret', 'https://api.example?[hidden]'],
  ['https://api.example/v1#s3cret', 'https://api.example/v1#[hidden]'],
  ['https://[::1]:8443/v1?s3cret', 'https://[::1]:8443/v1?[hidden]'],
  ['https://ann:s3\ncret@api.example', 'https://[hidden]@api.example'],
])('the error for the address %j does not repeat a password', (value, shown) => {
  const lines = problems({ MESSAGING_URL: value });

  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(`MESSAGING_URL="${shown}": takes `);
  expect(lines[0]).not.toMatch(/s3|r3t|cret|123456789/);
});

// security: password-in-address
test.each([
  ['HOST', 'http://ann:s3cret@api.example', 'http://[hidden]@api.example'],
  ['HOST', 'ann:s3cret', 'ann:[hidden]'],
  ['PAGING', 'https://api.example?key=s3cret', 'https://api.example?[hidden]'],
  [
    'CORS_ORIGINS',
    'https://ann:s3,cret@a.example,https://bob:s3cret@b.example, *',
    'https://[hidden]@a.example,https://[hidden]@b.example, *',
  ],
  [
    'REDIS_URL',
    'redis://me:my@secret@redis.example/0x',
    'redis://[hidden]@redis.example/0x',
  ],
  ['REDIS_URL', 'redis://me:50%secret@redis.example', 'redis://[hidden]@redis.example'],
  ['REDIS_URL', 'redis://50%secret:x@redis.example', 'redis://[hidden]@redis.example'],
  ['REDIS_URL', 'redis://r.example:6379?password=s', 'redis://r.example:6379?[hidden]'],
])('a password in an address is not repeated for %s=%s', (name, value, shown) => {
  expect(problems({ [name]: value })).toEqual([
    expect.stringContaining(`${name}="${shown}": takes `),
  ]);
});

test('an address that ends in "/v1" is refused, and the error has the right one', () => {
  expect(problems({ MESSAGING_URL: 'https://api.example/v1/' })).toEqual([
    'MESSAGING_URL="https://api.example/v1/": takes the address without "/v1", which the gateway adds: https://api.example',
  ]);
});

test('all problems are reported together, one line each, with the values verbatim but for line breaks', () => {
  expect(problems({ PORT: 'a\nb "c"', INTROSPECTION: 'z' })).toEqual([
    'PORT="a\\nb "c"": takes an integer from 0 to 65535',
    'INTROSPECTION="z": takes one of true, false',
  ]);
});

test('the two paging parameters must differ, usual names included', () => {
  for (const env of [
    { PAGING_PARAM: 'id', PAGING_BACK_PARAM: 'id' },
    { PAGING_BACK_PARAM: 'starting_after' },
    { PAGING_PARAM: 'ending_before' },
  ]) {
    expect(problems(env)).toEqual([
      expect.stringMatching(/^PAGING_BACK_PARAM="\w+": takes /),
    ]);
  }
});
