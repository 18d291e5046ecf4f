import type { IncomingHttpHeaders } from 'node:http';
import type { Answers } from './answers.ts';
import type { ServiceContext } from './context.ts';
import { conversationRoutes } from './conversations.ts';
import { HttpError } from './errors.ts';
import { readFields } from './fields.ts';
import { type Fields, parseForm, parseJson } from './form.ts';
import { messageRoutes } from './messages.ts';
import type { Route } from './route.ts';
import type { Mailbox } from './store.ts';

/** What the service answers. */
export interface ServiceResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One request to an endpoint, whose caller is known. `body`: as text; empty for a GET. */
type Handle = (body: string) => ServiceResponse;

/** Finds the endpoint of a request, checks the token and counts the call. Throws HttpError. */
export type Open = (request: {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}) => Handle;

const ROUTES = [...messageRoutes, ...conversationRoutes];

/**
 * Everything under `/v1`: authentication, rate limit, routes, responses. Source: Authentication, Endpoints.
 * @param mailboxes by access token
 */
export function createEndpoints(
  context: ServiceContext,
  mailboxes: ReadonlyMap<string, Mailbox>,
): Open {
  const { answers } = context;
  const countCall = createRateLimit(answers);
  const all = [...mailboxes.values()];

  const authenticate = (headers: IncomingHttpHeaders): Mailbox => {
    const token = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
    const mailbox = mailboxes.get(token);
    if (mailbox === undefined) {
      throw new HttpError(401, 'unauthenticated', 'a valid access token is required', {
        'www-authenticate': 'Bearer',
      });
    }
    countCall(token);
    return mailbox;
  };

  return ({ method, url, headers }) => {
    const [, path = '', search = ''] = /^([^?]*)\??(.*)$/s.exec(url) ?? [];
    const [, list = '', item] = /^\/v1(\/\w+)(?:\/([^/]+))?$/.exec(path) ?? [];
    const route = ROUTES.find(
      (one) =>
        one.method === method && one.path === (item === undefined ? list : `${list}/:id`),
    );
    if (route === undefined) {
      throw new HttpError(404, 'no_such_route', `${method} ${url} is not an endpoint`);
    }
    const id = decode(item ?? '');
    const mailbox = authenticate(headers);
    return (body) => {
      const query = parseForm(search);
      if (method !== 'GET') readFields(query, {});
      const fields = method === 'GET' ? query : readBody(body, headers, answers);
      const result = route.handle({ ...context, mailbox, mailboxes: all, id, fields });
      return toResponse(route.method, result, answers);
    };
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new HttpError(400, 'invalid_request', 'the path is malformed');
  }
}

/** Reads a missing body as an empty form. Open point: JSON bodies. */
function readBody(
  body: string,
  headers: IncomingHttpHeaders,
  { jsonBodies }: Answers,
): Fields {
  if (body === '') return new Map();
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/x-www-form-urlencoded') return parseForm(body);
  if (type === 'application/json' && jsonBodies === 'accept') return parseJson(body);
  const message = 'send the body as application/x-www-form-urlencoded';
  throw new HttpError(415, 'unsupported_media_type', message);
}

/** Open point: success status codes. Open point: body of a delete. */
function toResponse(
  method: Route['method'],
  result: object,
  answers: Answers,
): ServiceResponse {
  const statuses = {
    GET: answers.readStatus,
    POST: answers.createStatus,
    PUT: answers.updateStatus,
    DELETE: answers.deleteStatus,
  };
  const status = statuses[method];
  if (method !== 'DELETE') return toJson(status, result);
  if (status === 204 || status === 205) return { status, headers: {}, body: '' };
  switch (answers.deleteBody) {
    case 'flag':
      return toJson(status, { deleted: true });
    case 'object':
      return toJson(status, result);
    case 'text': {
      const headers = { 'content-type': 'text/plain; charset=utf-8' };
      return { status, headers, body: 'deleted' };
    }
    case 'empty':
      return { status, headers: {}, body: '' };
  }
}

const toJson = (status: number, value: object): ServiceResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify(value),
});

const WINDOW_MS = 1000;

/** Counts the calls of each token in windows of one second. Open point: rate limits. */
function createRateLimit({ rateLimit, retryAfter }: Answers): (token: string) => void {
  const windows = new Map<string, { endsAt: number; calls: number }>();

  return (token) => {
    if (rateLimit === null) return;
    const open = windows.get(token);
    const window =
      open !== undefined && Date.now() < open.endsAt
        ? open
        : { endsAt: Date.now() + WINDOW_MS, calls: 0 };
    windows.set(token, window);
    window.calls += 1;
    if (window.calls > rateLimit) {
      const message = `at most ${rateLimit} calls per second are allowed`;
      const headers = toRetryAfter(window.endsAt, retryAfter);
      throw new HttpError(429, 'rate_limited', message, headers);
    }
  };
}

function toRetryAfter(
  endsAt: number,
  format: Answers['retryAfter'],
): Record<string, string> {
  if (format === 'none') return {};
  if (format === 'seconds') return { 'retry-after': '1' };
  // HTTP dates have whole seconds; rounding up keeps the date from preceding the window's end.
  const date = new Date(Math.ceil(endsAt / 1000) * 1000);
  return { 'retry-after': date.toUTCString() };
}
