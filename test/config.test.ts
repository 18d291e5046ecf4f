import { expect, test } from 'vitest';
import { ConfigError, type Environment, loadConfig } from '../src/config.ts';

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

test('every setting has a default', () => {
  expect(loadConfig({})).toEqual({
    messagingUrl: 'embedded',
    host: '127.0.0.1',
    port: 4000,
    paging: 'auto',
    pagingParam: null,
    pagingBackParam: null,
    pagingUnknownId: 'refused',
    maxLimit: null,
    timestampUnit: null,
    maxPageSize: 100,
    maxRestCalls: 250,
    maxCallsPerList: 20,
    restTimeoutMs: 10_000,
    operationTimeoutMs: 30_000,
    restConnections: 64,
    restQueue: 1000,
    restRetries: 2,
    maxResponseBytes: 16_777_216,
    logLevel: 'info',
    corsOrigins: '*',
    introspection: true,
    explorer: 'sandbox',
    trustedDocuments: null,
    metrics: true,
    restDebug: false,
    live: true,
    livePollMs: 2000,
    maxSubscriptions: 1000,
    workers: 1,
    redisUrl: null,
  });
});

test('every setting can be set', () => {
  const config = loadConfig({
    MESSAGING_URL: 'https://api.example/messaging/',
    HOST: '0.0.0.0',
    PORT: '0',
    PAGING: 'starting_after',
    PAGING_PARAM: 'since',
    PAGING_BACK_PARAM: 'until',
    PAGING_UNKNOWN_ID: 'first',
    MAX_LIMIT: '25',
    TIMESTAMP_UNIT: 'milliseconds',
    MAX_PAGE_SIZE: '50',
    MAX_REST_CALLS: '100',
    MAX_CALLS_PER_LIST: '5',
    REST_TIMEOUT_MS: '1000',
    OPERATION_TIMEOUT_MS: '5000',
    REST_CONNECTIONS: '8',
    REST_QUEUE: '5',
    REST_RETRIES: '0',
    MAX_RESPONSE_BYTES: '1000000',
    LOG_LEVEL: 'silent',
    CORS_ORIGINS: 'https://a.example,http://localhost:3000',
    INTROSPECTION: 'false',
    EXPLORER: 'local',
    TRUSTED_DOCUMENTS: 'ops/manifest.json',
    METRICS: 'false',
    REST_DEBUG: 'true',
    LIVE: 'false',
    LIVE_POLL_MS: '500',
    MAX_SUBSCRIPTIONS: '20',
    WORKERS: 'auto',
    REDIS_URL: 'rediss://me:secret@redis.example:6380/2',
  });

  expect(config).toEqual({
    messagingUrl: 'https://api.example/messaging',
    host: '0.0.0.0',
    port: 0,
    paging: 'starting_after',
    pagingParam: 'since',
    pagingBackParam: 'until',
    pagingUnknownId: 'first',
    maxLimit: 25,
    timestampUnit: 'milliseconds',
    maxPageSize: 50,
    maxRestCalls: 100,
    maxCallsPerList: 5,
    restTimeoutMs: 1000,
    operationTimeoutMs: 5000,
    restConnections: 8,
    restQueue: 5,
    restRetries: 0,
    maxResponseBytes: 1_000_000,
    logLevel: 'silent',
    corsOrigins: ['https://a.example', 'http://localhost:3000'],
    introspection: false,
    explorer: 'local',
    trustedDocuments: 'ops/manifest.json',
    metrics: false,
    restDebug: true,
    live: false,
    livePollMs: 500,
    maxSubscriptions: 20,
    workers: 'auto',
    redisUrl: 'rediss://me:secret@redis.example:6380/2',
  });
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
      'https://a.example:8443/, https://b.example:9443',
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
])(
  'the error for a wrong %s has its name, its value and what it takes',
  (name, values) => {
    for (const value of values) {
      const [line, ...more] = problems({ [name]: value });

      expect(line?.startsWith(`${name}="${value}": takes `), value).toBe(true);
      expect(more).toEqual([]);
    }
  },
);

// These are not repeated as they are: what may be a password is left out.
test.each([
  ['https://ann:s3cret@api.example', 'https://[hidden]@api.example'],
  ['https://s3cret@api.example', 'https://[hidden]@api.example'],
  ['https://ann:s3c/r3t@api.example/base', 'https://[hidden]@api.example/base'],
  ['https://ann:s3c#r3t@api.example', 'https://[hidden]@api.example'],
  ['https://ann:s3c@r3t@api.example', 'https://[hidden]@api.example'],
  ['https://ann:s3cret@api.example/v1', 'https://[hidden]@api.example/v1'],
  ['ann:s3cret@api.example', '[hidden]@api.example'],
  ['https:/ann:s3cret@', 'https:/[hidden]@'],
  ['https://ann:s3cret', 'https://ann:[hidden]'],
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

test.each([
  ['HOST', 'http://ann:s3cret@api.example', 'http://[hidden]@api.example'],
  ['HOST', 'ann:s3cret', 'ann:[hidden]'],
  ['PORT', 'http://ann:s3cret@api.example:4000', 'http://[hidden]@api.example:4000'],
  ['PAGING', 'https://api.example?key=s3cret', 'https://api.example?[hidden]'],
  [
    'CORS_ORIGINS',
    'https://ann:s3,cret@a.example,https://bob:s3cret@b.example, *',
    'https://[hidden]@a.example,https://[hidden]@b.example, *',
  ],
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

test.each([
  ['redis://me:my@secret@redis.example/name', 'redis://[hidden]@redis.example/name'],
  ['redis://me:50%secret@redis.example', 'redis://[hidden]@redis.example'],
  ['redis://50%secret:x@redis.example', 'redis://[hidden]@redis.example'],
  ['redis://redis.example:6379?password=secret', 'redis://redis.example:6379?[hidden]'],
  ['redis://me:12#secret@redis.example', 'redis://[hidden]@redis.example'],
])('REDIS_URL=%s is wrong, and is reported without its password', (value, shown) => {
  expect(problems({ REDIS_URL: value })).toEqual([
    expect.stringContaining(`REDIS_URL="${shown}": takes `),
  ]);
});

test('all problems are reported together, one line each', () => {
  const lines = problems({ PORT: 'x', PAGING: 'y', INTROSPECTION: 'z' });

  expect(lines.map((line) => line.split('=')[0])).toEqual([
    'PORT',
    'PAGING',
    'INTROSPECTION',
  ]);
});

test('the error repeats the value verbatim, but escapes line breaks', () => {
  expect(problems({ PORT: 'a\nb "c"' })).toEqual([
    'PORT="a\\nb "c"": takes an integer from 0 to 65535',
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

test('in production the embedded service must be set explicitly', () => {
  expect(problems({ NODE_ENV: 'production' })).toEqual([
    expect.stringContaining('MESSAGING_URL'),
  ]);
  expect(problems({ NODE_ENV: 'production', MESSAGING_URL: 'embedded' })).toEqual([]);
});
