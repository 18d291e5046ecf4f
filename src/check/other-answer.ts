import { isSuccess, type JsonResponse } from '../probe/session.ts';
import { toSeconds } from '../rest/response.ts';
import { toWords } from '../rest/words.ts';
import { type Finding, unfit } from './finding.ts';

/** Unit: characters. */
const MAX_ADDRESS = 200;

/** Why an answer to a list is not a page of it. `url`: the base address that was asked. */
export function explainAnswer(answer: JsonResponse, url: string): Finding {
  const { status } = answer;
  if (isSuccess(answer)) return explainSuccess(answer);
  if (status >= 300 && status < 400) return explainRedirect(answer, url);
  const said = describe(answer);
  if (status === 401) {
    return unfit(
      'token',
      `the service refused it (${said})`,
      'Set MESSAGING_TOKEN to a valid one.',
    );
  }
  if (status === 403) {
    return unfit(
      'token',
      `it may not read ${answer.route} (${said})`,
      'Use a token that may list messages and conversations.',
    );
  }
  if (status === 429) {
    const seconds = toSeconds(answer.headers['retry-after']);
    const when = seconds === null ? 'later' : `in ${seconds} s`;
    return unfit('service', `it limits calls (${said})`, `Try again ${when}.`);
  }
  if (status >= 500) {
    return unfit(
      'service',
      `it fails: it answered ${status}`,
      'Ask the people who run the service, or try again later.',
    );
  }
  if (status === 404 || status === 410) {
    return unfit(
      'service',
      `there is no ${answer.route} below ${url} (${said})`,
      'Correct the host and the path of MESSAGING_URL: it is the base address, to which the gateway adds /v1 and the path of a list.',
    );
  }
  return unfit(
    'service',
    `it refused GET ${answer.route} (${said})`,
    'Check that MESSAGING_URL is the address of the messaging service, and what the service demands.',
  );
}

/** The status and the service's own words. */
function describe({ status, text }: JsonResponse): string {
  const words = toWords(text);
  return words === null ? `${status}` : `${status}: ${words}`;
}

function explainSuccess({ headers, text, json, route }: JsonResponse): Finding {
  const isHtml =
    /html/i.test(`${headers['content-type']}`) || text.trimStart().startsWith('<');
  if (json === undefined && isHtml) {
    return unfit(
      'service',
      'it answered with a page for browsers (HTML), not with JSON',
      "Set MESSAGING_URL to the address of the service's interface: this is a website, a proxy or a login page.",
    );
  }
  const what =
    json === undefined ? 'something that is not JSON' : 'JSON that is not a list';
  return unfit(
    'service',
    `it answered GET ${route} with ${what}`,
    'Correct MESSAGING_URL: there is another service at this address. A list is an object with "data" and "has_more".',
  );
}

function explainRedirect({ status, headers, route }: JsonResponse, url: string): Finding {
  const target = URL.parse(String(headers.location), url + route);
  const words = `it redirects (${status}), and the gateway follows no redirect`;
  if (headers.location === undefined || target === null) {
    return unfit('service', words, 'Correct MESSAGING_URL.');
  }
  // Without credentials and query, which may be secrets.
  const address = target.origin + target.pathname;
  if (!target.pathname.endsWith(route) || address.length > MAX_ADDRESS) {
    return unfit(
      'service',
      `${words}, to ${address.slice(0, MAX_ADDRESS)}`,
      'Correct MESSAGING_URL: this may be a login page, or another service.',
    );
  }
  const base = address.slice(0, -route.length);
  return unfit('service', `${words}, to ${base}`, `Set MESSAGING_URL=${base}`);
}
