import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Answers } from './answers.ts';
import { conversationRoutes } from './conversations.ts';
import { readFields } from './fields.ts';
import { type Fields, parseForm, parseJson } from './form.ts';
import { messageRoutes } from './messages.ts';
import { createRateLimit } from './rate-limit.ts';
import { Refusal } from './refusal.ts';
import type { Mailbox, Route, Surroundings } from './store.ts';

/**
 * Everything under `/v1`, as a fastify plugin: who asks, how often, what for, and with what status
 * and body it is answered. Source: Authentication, Endpoints.
 * @param mailboxes by access token
 */
export const endpoints =
  (surroundings: Surroundings, mailboxes: ReadonlyMap<string, Mailbox>) =>
  async (app: FastifyInstance): Promise<void> => {
    const { answers } = surroundings;
    const countCall = createRateLimit(answers);

    const authenticate = ({
      headers,
    }: FastifyRequest): { token: string; mailbox: Mailbox } => {
      const token = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
      const mailbox = mailboxes.get(token);
      if (mailbox !== undefined) return { token, mailbox };
      throw new Refusal(401, 'unauthenticated', 'a valid access token is required', {
        'www-authenticate': 'Bearer',
      });
    };
    // Before the body is read: an unknown caller learns nothing about it.
    app.addHook('onRequest', async (request) => countCall(authenticate(request).token));

    for (const route of [
      ...messageRoutes(surroundings),
      ...conversationRoutes(surroundings),
    ]) {
      app.route<{ Params: { id?: string } }>({
        method: route.method,
        url: route.path,
        handler: async (request, reply) => {
          const query = parseForm(/\?(.*)$/s.exec(request.url)?.[1] ?? '');
          if (route.method !== 'GET') readFields(query, {});
          const found = route.answer({
            mailbox: authenticate(request).mailbox,
            id: request.params.id ?? '',
            fields: route.method === 'GET' ? query : readBody(request, answers),
          });
          return send(reply, route.method, found, answers);
        },
      });
    }
  };

/** A request without a body has an empty form. Open point: JSON bodies. */
function readBody({ body, headers }: FastifyRequest, { jsonBodies }: Answers): Fields {
  if (typeof body !== 'string' || body === '') return new Map();
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/x-www-form-urlencoded') return parseForm(body);
  if (type === 'application/json' && jsonBodies === 'accept') return parseJson(body);
  throw new Refusal(
    415,
    'unsupported_media_type',
    'a body is application/x-www-form-urlencoded',
  );
}

/** Open points: success status codes; response body of the two delete operations. */
function send(
  reply: FastifyReply,
  method: Route['method'],
  found: object,
  answers: Answers,
): FastifyReply {
  const statuses = {
    GET: answers.readStatus,
    POST: answers.createStatus,
    PUT: answers.updateStatus,
    DELETE: answers.deleteStatus,
  };
  reply.code(statuses[method]);
  if (method !== 'DELETE') return sendJson(reply, found);
  if (answers.deleteStatus === 204 || answers.deleteStatus === 205) return reply.send();
  switch (answers.deleteBody) {
    case 'flag':
      return sendJson(reply, { deleted: true });
    case 'object':
      return sendJson(reply, found);
    case 'text':
      return reply.type('text/plain; charset=utf-8').send('deleted');
    case 'empty':
      return reply.send();
  }
}

const sendJson = (reply: FastifyReply, value: object) =>
  reply.type('application/json; charset=utf-8').send(JSON.stringify(value));
