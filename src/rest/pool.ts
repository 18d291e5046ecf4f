import type { SecureContextOptions } from 'node:tls';
import { type buildConnector, EnvHttpProxyAgent, errors, Pool } from 'undici';

export interface PoolOptions {
  /** The service's base address, without `/v1`. */
  readonly url: string;
  /** Connections to the service, which are kept alive. */
  readonly connections: number;
  /** The longest time of one request, to the last byte of its answer. Unit: milliseconds. */
  readonly timeoutMs: number;
  /** The address of a proxy, perhaps with a password; null: none. */
  readonly proxy: string | null;
  /** The authorities that are trusted, if not those that Node knows, and the certificate of the gateway, in PEM. */
  readonly tls: SecureContextOptions;
}

/** Open and idle connections, running calls, those that wait on a connection, and those that wait for one. */
export type PoolCounts = Readonly<
  Record<'connected' | 'free' | 'running' | 'pending' | 'queued', number>
>;

/** The parts of the address of a proxy that no error and no log line may show. */
export function secretsOf(proxy: string | null): string[] {
  const { username = '', password = '' } = URL.parse(proxy ?? '') ?? {};
  if (username + password === '') return [];
  const [name = '', secret = ''] = [username, password].map(decodeURIComponent);
  const credentials = Buffer.from(`${name}:${secret}`).toString('base64');
  // Without a password the name may be a token.
  return [secret || name, credentials];
}

/**
 * The connections to the service; through the proxy if there is one, unless NO_PROXY names the service. `onChange` runs when
 * one opens or closes. The gateway has timeouts of its own, so undici's coarse timers are switched off.
 */
export function createPool(
  { url, connections, timeoutMs, proxy, tls }: PoolOptions,
  onChange = () => {},
) {
  const { origin } = new URL(url);
  const connect = { timeout: timeoutMs, ...tls };
  /** Behind a proxy, undici opens it at the first call, and another one after all its connections have closed. */
  let pool: Pool | null = null;
  const open = (to: string | URL, options: Pool.Options) => {
    pool = new Pool(to, { ...options, connections, headersTimeout: 0, bodyTimeout: 0 });
    return pool.on('connect', onChange).on('disconnect', onChange);
  };
  /** Marks the errors of connections to the proxy: otherwise they would read as the service's. */
  const toProxy = ({
    connect,
  }: {
    connect?: buildConnector.connector;
  }): Pool.Options => ({
    headersTimeout: timeoutMs,
    connect: (target, done) =>
      connect?.(target, (error, socket) =>
        error ? done(new errors.ProxyConnectionError(error), null) : done(null, socket),
      ),
  });
  const dispatcher =
    proxy === null
      ? open(origin, { connect })
      : new EnvHttpProxyAgent({
          httpProxy: proxy,
          httpsProxy: proxy,
          connect,
          requestTls: connect,
          proxyTls: { timeout: timeoutMs },
          clientFactory: (to, options) => new Pool(to, toProxy(options)),
          factory: (to, options) =>
            open(to, new URL(to).origin === origin ? options : toProxy(options)),
        });
  return {
    dispatcher,
    stats: (): PoolCounts =>
      pool?.stats ?? { connected: 0, free: 0, running: 0, pending: 0, queued: 0 },
    /** Opens a connection and sends nothing. Returns why there is none; null if there is one. */
    tryConnection: () =>
      new Promise<Error | null>((resolve) => {
        const handler = {
          onRequestStart() {
            resolve(null);
            throw new Error('not to be sent');
          },
          onResponseStart() {},
          onResponseData() {},
          onResponseEnd() {},
          onResponseError: (_: unknown, error: Error) => resolve(error),
        };
        dispatcher.dispatch({ origin, path: '/', method: 'GET' }, handler);
      }),
  };
}
