import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Answers } from './answers.ts';
import type { ServiceContext } from './context.ts';
import { conversationRoutes } from './conversations.ts';
import { HttpError } from './errors.ts';
import { readFields } from './fields.ts';
import { type Fields, parseForm, parseJson } from './form.ts';
import { messageRoutes } from './messages.ts';
import type { Route } from './route.ts';
import type { Mailbox } from './store.ts';

/**
 * Everything under `/v1`, as a fastify plugin: authentication, rate limit, routes, responses.
 * Source: Authentication, Endpoints.
 * @param mailboxes by access token
 */
export const endpoints =
  (context: ServiceContext, mailboxes: ReadonlyMap<string, Mailbox>) =>
  async (app: FastifyInstance): Promise<void> => {
    const { answers } = context;
    const countCall = createRateLimit(answers);
    const all = [...mailboxes.values()];

    const authenticate = ({
      headers,
    }: FastifyRequest): { token: string; mailbox: Mailbox } => {
      const token = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
      const mailbox = mailboxes.get(token);
      if (mailbox !== undefined) return { token, mailbox };
      throw new HttpError(401, 'unauthenticated', 'a valid access token is required', {
        'www-authenticate': 'Bearer',
      });
    };
    // Runs before the body is read, so that an unknown caller gets 401 for any body.
    app.addHook('onRequest', async (request) => countCall(authenticate(request).token));

    for (const { method, path, handle } of [...messageRoutes, ...conversationRoutes]) {
      app.route<{ Params: { id?: string } }>({
        method,
        url: path,
        handler: async (request, reply) => {
          const query = parseForm(/\?(.*)$/s.exec(request.url)?.[1] ?? '');
          if (method !== 'GET') readFields(query, {});
          const result = handle({
            ...context,
            mailbox: authenticate(request).mailbox,
            mailboxes: all,
            id: request.params.id ?? '',
            fields: method === 'GET' ? query : readBody(request, answers),
          });
          return send(reply, method, result, answers);
        },
      });
    }
  };

/** Reads a missing body as an empty form. Open point: JSON bodies. */
function readBody({ body, headers }: FastifyRequest, { jsonBodies }: Answers): Fields {
  if (typeof body !== 'string' || body === '') return new Map();
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/x-www-form-urlencoded') return parseForm(body);
  if (type === 'application/json' && jsonBodies === 'accept') return parseJson(body);
  const message = 'send the body as application/x-www-form-urlencoded';
  throw new HttpError(415, 'unsupported_media_type', message);
}

/** Open point: success status codes. Open point: body of a delete. */
function send(
  reply: FastifyReply,
  method: Route['method'],
  result: object,
  answers: Answers,
): FastifyReply {
  const statuses = {
    GET: answers.readStatus,
    POST: answers.createStatus,
    PUT: answers.updateStatus,
    DELETE: answers.deleteStatus,
  };
  reply.code(statuses[method]);
  if (method !== 'DELETE') return sendJson(reply, result);
  if (answers.deleteStatus === 204 || answers.deleteStatus === 205) return reply.send();
  switch (answers.deleteBody) {
    case 'flag':
      return sendJson(reply, { deleted: true });
    case 'object':
      return sendJson(reply, result);
    case 'text':
      return reply.type('text/plain; charset=utf-8').send('deleted');
    case 'empty':
      return reply.send();
  }
}

const sendJson = (reply: FastifyReply, value: object) =>
  reply.type('application/json; charset=utf-8').send(JSON.stringify(value));

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
