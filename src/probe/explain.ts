import { PROBED_LISTS } from '../messaging/probed.ts';
import { type RestError, RestNetworkError } from '../rest/errors.ts';
import {
  codeOf,
  NETWORK_CAUSES,
  type NetworkCause,
  toNetworkCause,
} from '../rest/network-cause.ts';
import type { RawClientOptions } from '../rest/raw.ts';
import { toSeconds } from '../rest/response.ts';
import { isRedirect, isSuccess, toCode } from '../rest/status.ts';
import { toWords } from '../rest/words.ts';
import { type Finding, problem } from './found.ts';
import type { Reply } from './session.ts';

/** What to change if there was no connection, by the cause. */
const FIXES: Readonly<Record<NetworkCause, string>> = {
  refused:
    'Start the service, or correct the host and the port in MESSAGING_URL: nothing accepts connections there.',
  unknownHost:
    'Correct the host in MESSAGING_URL, or make its name known to this machine.',
  noLookup: 'Check the name server of this machine, then try again.',
  noRoute: 'Correct the host in MESSAGING_URL, or connect this machine to its network.',
  tooSlow:
    'Correct the host and the port in MESSAGING_URL, and check that no firewall drops connections. REST_TIMEOUT_MS allows more time.',
  selfSigned:
    'Give the service a certificate of a known authority. Or trust this one: set REST_CA to its file.',
  expired: 'Renew the certificate of the service, and check the clock of this machine.',
  notYetValid: 'Check the clock of this machine, and the certificate of the service.',
  otherHost: 'Set MESSAGING_URL to a host that the certificate names.',
  unknownAuthority:
    "Set REST_CA to the file of the authority's certificate. Or let the service send its whole chain of certificates.",
  notTls: 'Check the scheme and the port in MESSAGING_URL.',
  tlsFailed:
    'Check the port in MESSAGING_URL, and which versions of TLS the service demands, or which certificate: REST_CERT and REST_KEY.',
  notHttp:
    'Check the port in MESSAGING_URL: another kind of service listens there, or what it answers is malformed.',
  headTooLong:
    'Let the service send fewer or shorter headers. NODE_OPTIONS=--max-http-header-size=65536 in the environment allows 64 KiB.',
  closed:
    'Check the scheme and the port in MESSAGING_URL, and why the service closes connections. If it demands a certificate, set REST_CERT and REST_KEY.',
  noProxy:
    'Correct REST_PROXY, or let NO_PROXY name the host of the service if it is reached without the proxy.',
  refusedByProxy:
    'Let the proxy reach the host of MESSAGING_URL, and give REST_PROXY the password that it wants: http://user:password@host:port.',
};

/** Why an answer to a list is not a page of it. */
export function explain(answer: Reply, target: RawClientOptions): Finding {
  const { status, route, text, error } = answer;
  const { url } = target;
  if (error !== null) return explainError(error, target);
  if (isSuccess(status)) return explainSuccess(answer);
  if (isRedirect(status)) return explainRedirect(answer, url);
  const words = toWords(text);
  const said = words === null ? `${status}` : `${status}: ${words}`;
  switch (toCode(status)) {
    case 'UNAUTHENTICATED':
      return problem(
        `the service refused it (${said})`,
        'Set MESSAGING_TOKEN to a valid one.',
        'token',
      );
    case 'FORBIDDEN':
      return problem(
        `it may not read ${route} (${said})`,
        `Use a token that may list ${PROBED_LISTS.map(({ name }) => name).join(' and ')}.`,
        'token',
      );
    case 'NOT_FOUND':
      return problem(
        `there is no ${route} below ${url} (${said})`,
        'Correct the host and the path of MESSAGING_URL: it is the base address, to which the gateway adds /v1 and the path of a list.',
      );
    case 'RATE_LIMITED': {
      const seconds = toSeconds(answer.headers['retry-after']);
      const when = seconds === null ? 'later' : `in ${seconds} s`;
      return problem(`it limits calls (${said})`, `Try again ${when}.`);
    }
  }
  return status >= 500
    ? problem(
        `it fails: it answered ${status}`,
        'Ask the people who run the service, or try again later.',
      )
    : problem(
        `it refused GET ${route} (${said})`,
        'Check that MESSAGING_URL is the address of the messaging service, and what the service demands.',
      );
}

function explainError(
  error: RestError,
  { url, proxy, timeoutMs }: RawClientOptions,
): Finding {
  if (!(error instanceof RestNetworkError)) {
    return problem(
      `its answer cannot be read: ${error.message}`,
      'Check that MESSAGING_URL is the address of the service. MAX_RESPONSE_BYTES allows longer answers.',
    );
  }
  const cause = toNetworkCause(error.cause);
  const way = proxy === null ? '' : `, with REST_PROXY at ${toHostAndPort(proxy)}`;
  const tried = `(tried ${toHostAndPort(url)}${way})`;
  if (error.kind === 'timeout') {
    return error.mayHaveLeft
      ? problem(
          `it accepts connections, but did not answer within ${timeoutMs} ms ${tried}`,
          'Find out why the service hangs, or raise REST_TIMEOUT_MS.',
        )
      : problem(`no connection was made within ${timeoutMs} ms ${tried}`, FIXES.tooSlow);
  }
  if (cause !== null) return problem(`${NETWORK_CAUSES[cause]} ${tried}`, FIXES[cause]);
  return problem(
    `there was no connection, or it broke: ${codeOf(error.cause) ?? 'no known cause'} ${tried}`,
    'Check MESSAGING_URL, that the service runs, and that this machine can reach it.',
  );
}

/** Without the user and the password of a proxy. */
function toHostAndPort(address: string): string {
  const { protocol, hostname, port } = new URL(address);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

function explainSuccess({ headers, text, json, route }: Reply): Finding {
  const isHtml =
    /html/i.test(`${headers['content-type']}`) || text.trimStart().startsWith('<');
  if (json === undefined && isHtml) {
    return problem(
      'it answered with a page for browsers (HTML), not with JSON',
      "Set MESSAGING_URL to the address of the service's interface: this is a website, a proxy or a login page.",
    );
  }
  const what =
    json === undefined ? 'something that is not JSON' : 'JSON that is not a list';
  return problem(
    `it answered GET ${route} with ${what}`,
    'Correct MESSAGING_URL: there is another service at this address. A list is an object with "data" and "has_more".',
  );
}

const MAX_ADDRESS = 200;

function explainRedirect({ status, headers, route }: Reply, url: string): Finding {
  const target = URL.parse(String(headers.location), url + route);
  const words = `it redirects (${status}), and the gateway follows no redirect`;
  if (headers.location === undefined || target === null) {
    return problem(words, 'Correct MESSAGING_URL.');
  }
  // Without credentials and query, which may be secrets.
  const address = target.origin + target.pathname;
  if (!target.pathname.endsWith(route) || address.length > MAX_ADDRESS) {
    return problem(
      `${words}, to ${address.slice(0, MAX_ADDRESS)}`,
      'Correct MESSAGING_URL: this may be a login page, or another service.',
    );
  }
  const base = address.slice(0, -route.length);
  return problem(`${words}, to ${base}`, `Set MESSAGING_URL=${base}`);
}
