import { expect, test } from 'vitest';
import { findWarnings } from '../src/config/warnings.ts';
import { type Environment, loadConfig, toEnvironmentName } from '../src/config.ts';

const warnings = (env: Environment) => findWarnings(env, loadConfig(env));

test.each([
  ['MAX_RESTCALLS', 'MAX_REST_CALLS'],
  ['max_rest_calls', 'MAX_REST_CALLS'],
  ['MESSAGING_ULR', 'MESSAGING_URL'],
  ['MESSAGE_URL', 'MESSAGING_URL'],
  ['MESSAGING_BASE_URL', 'MESSAGING_URL'],
  ['REST_TIMEOUT', 'REST_TIMEOUT_MS'],
  ['CORS_ORIGIN', 'CORS_ORIGINS'],
  ['LOGLEVEL', 'LOG_LEVEL'],
])('the variable %s is near %s', (name, nearest) => {
  const lines = warnings({ [name]: 'a-secret-value' });

  expect(lines).toEqual([`${name} is not a setting. Did you mean ${nearest}?`]);
});

test('variables of other programs are near no setting', () => {
  const names =
    `PATH HOME HOSTNAME HOSTTYPE HOSTS POST PORTS USER SHELL PWD OLDPWD LANG PAGER LESS EDITOR TERM TZ TMPDIR
    DATABASE_URL REDIS_HOST REDIS_PORT OTEL_LOG_LEVEL OTEL_METRICS_EXPORTER OTEL_SERVICE_NAME NODE_OPTIONS NODE_EXTRA_CA_CERTS
    NODE_USE_ENV_PROXY NODE_VERSION NODE_PATH
    KUBERNETES_SERVICE_HOST KUBERNETES_PORT MESSAGING_SERVICE_HOST MESSAGING_SERVICE_PORT MESSAGING_PORT MESSAGING_PORT_80_TCP
    npm_config_loglevel npm_lifecycle_event npm_package_name INIT_CWD CI DEBUG FORCE_COLOR NO_COLOR HTTP_PROXY HTTPS_PROXY
    NODE_ENV MESSAGING_TOKEN COLORTERM LOGNAME MAIL SSH_CONNECTION XDG_SESSION_ID`.split(
      /\s+/,
    );

  expect(warnings(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([]);
});

test('no setting is near another one, and none is without effect by default', () => {
  const config = loadConfig({ PAGING: 'starting_after' });
  const env = Object.fromEntries(
    Object.keys(config).map((key) => [toEnvironmentName(key), 'x']),
  );

  expect(findWarnings(env, config)).toEqual([]);
});

test.each([
  [
    { PAGING: 'limit', PAGING_PARAM: 'since' },
    'PAGING_PARAM',
    'starting_after, offset or page.',
  ],
  [{ PAGING: 'offset', PAGING_BACK_PARAM: 'x' }, 'PAGING_BACK_PARAM', 'starting_after.'],
  [
    { PAGING: 'page', PAGING_UNKNOWN_ID: 'first' },
    'PAGING_UNKNOWN_ID',
    'starting_after.',
  ],
])('with %j, a setting has no effect', (env, name, styles) => {
  const [line, ...more] = warnings(env);

  expect(line).toMatch(
    new RegExp(`^${name} has no effect with PAGING=\\w+: remove it, or set PAGING to `),
  );
  expect(line).toContain(styles);
  expect(more).toEqual([]);
});

test('the mode of trusted documents has no effect without a manifest', () => {
  const enforce = { TRUSTED_DOCUMENTS_MODE: 'enforce' };

  expect(warnings(enforce)).toEqual([
    'TRUSTED_DOCUMENTS_MODE has no effect without TRUSTED_DOCUMENTS: every document may run.',
  ]);
  expect(warnings({ ...enforce, TRUSTED_DOCUMENTS: 'manifest.json' })).toEqual([]);
});

test.each([
  { PAGING: 'offset', PAGING_PARAM: 'skip' },
  { PAGING: 'page', PAGING_PARAM: 'p' },
])('with %j, every setting has an effect', (env) => {
  expect(warnings(env)).toEqual([]);
});
