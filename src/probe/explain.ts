import { PROBED_LISTS } from '../messaging/probed.ts';
import { type RestError, RestNetworkError } from '../rest/errors.ts';
import {
  codeOf,
  NETWORK_CAUSES,
  type NetworkCause,
  toNetworkCause,
} from '../rest/network-cause.ts';
import { toSeconds } from '../rest/response.ts';
import { isRedirect, isSuccess } from '../rest/status.ts';
import { toWords } from '../rest/words.ts';
import type { JsonResponse } from './session.ts';

/** One statement about a set-up. */
export interface Finding {
  readonly subject: 'settings' | 'service' | 'token' | 'learned';
  readonly words: string;
  /** What to change, in one sentence or two; null if nothing must be changed. After a value at its end, it has no period. */
  readonly fix: string | null;
}

export const ok = (subject: Finding['subject'], words: string): Finding => ({
  subject,
  words,
  fix: null,
});

export const problem = (
  subject: Finding['subject'],
  words: string,
  fix: string,
): Finding => ({ subject, words, fix });

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
    'Give the service a certificate of a known authority. Or trust this one: set NODE_EXTRA_CA_CERTS to its file in the environment, because Node does not read that from .env.',
  expired: 'Renew the certificate of the service, and check the clock of this machine.',
  notYetValid: 'Check the clock of this machine, and the certificate of the service.',
  otherHost: 'Set MESSAGING_URL to a host that the certificate names.',
  unknownAuthority:
    "Set NODE_EXTRA_CA_CERTS to the file of the authority's certificate in the environment, because Node does not read that from .env. Or let the service send its whole chain of certificates.",
  notTls: 'Check the scheme and the port in MESSAGING_URL.',
  tlsFailed:
    'Check the port in MESSAGING_URL, and which versions of TLS and which certificates the service demands.',
  notHttp: 'Check the port in MESSAGING_URL: another kind of service listens there.',
  closed:
    'Check the scheme and the port in MESSAGING_URL, and why the service closes connections.',
};

/** Why a call got no answer that could be read. `timeoutMs`: the longest time of a call. */
export function explainNoAnswer(error: RestError | null, timeoutMs: number): Finding {
  if (!(error instanceof RestNetworkError)) {
    return problem(
      'service',
      `its answer cannot be read: ${error?.message ?? 'there was none'}`,
      'Check that MESSAGING_URL is the address of the service. MAX_RESPONSE_BYTES allows longer answers.',
    );
  }
  if (error.kind === 'timeout') {
    return error.mayHaveLeft
      ? problem(
          'service',
          `it accepts connections, but did not answer within ${timeoutMs} ms`,
          'Find out why the service hangs, or raise REST_TIMEOUT_MS.',
        )
      : problem(
          'service',
          `no connection was made within ${timeoutMs} ms`,
          FIXES.tooSlow,
        );
  }
  const cause = toNetworkCause(error.cause);
  if (cause !== null) return problem('service', NETWORK_CAUSES[cause], FIXES[cause]);
  return problem(
    'service',
    `there was no connection, or it broke (${codeOf(error.cause) ?? 'no known cause'})`,
    'Check MESSAGING_URL, that the service runs, and that this machine can reach it.',
  );
}

/** Why an answer to a list is not a page of it. `url`: the base address that was asked. */
export function explainAnswer(answer: JsonResponse, url: string): Finding {
  const { status, route, text } = answer;
  if (isSuccess(answer.status)) return explainSuccess(answer);
  if (isRedirect(status)) return explainRedirect(answer, url);
  const words = toWords(text);
  const said = words === null ? `${status}` : `${status}: ${words}`;
  switch (status) {
    case 401:
      return problem(
        'token',
        `the service refused it (${said})`,
        'Set MESSAGING_TOKEN to a valid one.',
      );
    case 403:
      return problem(
        'token',
        `it may not read ${route} (${said})`,
        `Use a token that may list ${PROBED_LISTS.map(({ name }) => name).join(' and ')}.`,
      );
    case 404:
    case 410:
      return problem(
        'service',
        `there is no ${route} below ${url} (${said})`,
        'Correct the host and the path of MESSAGING_URL: it is the base address, to which the gateway adds /v1 and the path of a list.',
      );
    case 429: {
      const seconds = toSeconds(answer.headers['retry-after']);
      const when = seconds === null ? 'later' : `in ${seconds} s`;
      return problem('service', `it limits calls (${said})`, `Try again ${when}.`);
    }
  }
  return status >= 500
    ? problem(
        'service',
        `it fails: it answered ${status}`,
        'Ask the people who run the service, or try again later.',
      )
    : problem(
        'service',
        `it refused GET ${route} (${said})`,
        'Check that MESSAGING_URL is the address of the messaging service, and what the service demands.',
      );
}

function explainSuccess({ headers, text, json, route }: JsonResponse): Finding {
  const isHtml =
    /html/i.test(`${headers['content-type']}`) || text.trimStart().startsWith('<');
  if (json === undefined && isHtml) {
    return problem(
      'service',
      'it answered with a page for browsers (HTML), not with JSON',
      "Set MESSAGING_URL to the address of the service's interface: this is a website, a proxy or a login page.",
    );
  }
  const what =
    json === undefined ? 'something that is not JSON' : 'JSON that is not a list';
  return problem(
    'service',
    `it answered GET ${route} with ${what}`,
    'Correct MESSAGING_URL: there is another service at this address. A list is an object with "data" and "has_more".',
  );
}

/** Unit: characters. */
const MAX_ADDRESS = 200;

function explainRedirect({ status, headers, route }: JsonResponse, url: string): Finding {
  const target = URL.parse(String(headers.location), url + route);
  const words = `it redirects (${status}), and the gateway follows no redirect`;
  if (headers.location === undefined || target === null) {
    return problem('service', words, 'Correct MESSAGING_URL.');
  }
  // Without credentials and query, which may be secrets.
  const address = target.origin + target.pathname;
  if (!target.pathname.endsWith(route) || address.length > MAX_ADDRESS) {
    return problem(
      'service',
      `${words}, to ${address.slice(0, MAX_ADDRESS)}`,
      'Correct MESSAGING_URL: this may be a login page, or another service.',
    );
  }
  const base = address.slice(0, -route.length);
  return problem('service', `${words}, to ${base}`, `Set MESSAGING_URL=${base}`);
}
