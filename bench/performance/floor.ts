/**
 * The floor: the endpoints that a team would write by hand for the six workloads, with `node:http` and undici's
 * `request`. They parse the service's answers, pick the fields and stringify; there is no GraphQL in them.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { Pool } from 'undici';

interface WireConversation {
  id: string;
  pinned_message_id: string | null;
  is_pinned: boolean;
  is_muted: boolean;
  last_active_at: number | null;
  created_at: number;
}

interface WireMessage {
  id: string;
  conversation_id: string;
  contact: { id: string; username: string; avatar_url: string | null };
  message: string;
  created_at: number;
}

interface Page<T> {
  data: T[];
}

/** As many connections as the gateway opens by default. */
const service = new Pool(process.env.MESSAGING_URL ?? '', { connections: 64 });

async function call<T>(token: string, path: string, form?: string): Promise<T> {
  const { statusCode, body } = await service.request({
    method: form === undefined ? 'GET' : 'POST',
    path: `/v1/${path}`,
    headers:
      form === undefined
        ? { authorization: token }
        : { authorization: token, 'content-type': 'application/x-www-form-urlencoded' },
    body: form ?? null,
  });
  if (statusCode >= 300) {
    await body.dump();
    throw new Error(`the service answered ${statusCode}`);
  }
  return (await body.json()) as T;
}

const getConversation = (token: string, id: string) =>
  call<WireConversation>(token, `conversations/${encodeURIComponent(id)}`);
const getMessage = (token: string, id: string) =>
  call<WireMessage>(token, `messages/${encodeURIComponent(id)}`);

async function feed(token: string): Promise<object> {
  const { data } = await call<Page<WireConversation>>(token, 'conversations?limit=10');
  const nodes = data.map(async (conversation) => {
    const query = `conversation_id=${encodeURIComponent(conversation.id)}&limit=10`;
    const page = await call<Page<WireMessage>>(token, `messages?${query}`);
    return {
      id: conversation.id,
      isPinned: conversation.is_pinned,
      lastActiveAt: conversation.last_active_at,
      messages: {
        nodes: page.data.map(({ id, message, created_at, contact }) => ({
          id,
          message,
          createdAt: created_at,
          contact: {
            id: contact.id,
            username: contact.username,
            avatarUrl: contact.avatar_url,
          },
        })),
      },
    };
  });
  return { conversations: { nodes: await Promise.all(nodes) } };
}

async function inbox(token: string): Promise<object> {
  const { data } = await call<Page<WireMessage>>(token, 'messages?limit=50');
  const ids = [...new Set(data.map((message) => message.conversation_id))];
  const conversations = await Promise.all(
    ids.map(async (id) => {
      const conversation = await getConversation(token, id);
      const pinnedId = conversation.pinned_message_id;
      const pinned = pinnedId === null ? null : await getMessage(token, pinnedId);
      return {
        id: conversation.id,
        isMuted: conversation.is_muted,
        pinnedMessage: pinned && { id: pinned.id, message: pinned.message },
      };
    }),
  );
  const byId = new Map(ids.map((id, index) => [id, conversations[index]]));
  return {
    messages: {
      nodes: data.map(({ id, message, conversation_id }) => ({
        id,
        message,
        conversation: byId.get(conversation_id),
      })),
    },
  };
}

async function oneMessage(token: string, id: string): Promise<object> {
  const message = await getMessage(token, id);
  const conversation = await getConversation(token, message.conversation_id);
  return {
    message: {
      id: message.id,
      message: message.message,
      createdAt: message.created_at,
      conversation: {
        id: conversation.id,
        isMuted: conversation.is_muted,
        createdAt: conversation.created_at,
      },
    },
  };
}

async function oneConversation(token: string, id: string): Promise<object> {
  const conversation = await getConversation(token, id);
  return {
    conversation: {
      id: conversation.id,
      isPinned: conversation.is_pinned,
      isMuted: conversation.is_muted,
      createdAt: conversation.created_at,
    },
  };
}

async function send(token: string, request: IncomingMessage): Promise<object> {
  const { conversationId, message } = JSON.parse(await text(request));
  const form = new URLSearchParams({ conversation_id: conversationId, message });
  const sent = await call<WireMessage>(token, 'messages', form.toString());
  return {
    sendMessage: {
      message: { id: sent.id, message: sent.message, createdAt: sent.created_at },
    },
  };
}

const TYPENAME = { __typename: 'Query' };

function route(request: IncomingMessage): object | Promise<object> | null {
  const { method, url = '' } = request;
  const token = request.headers.authorization ?? '';
  const [, resource, id] = url.split('/');
  if (method === 'POST') return resource === 'messages' ? send(token, request) : null;
  if (resource === 'typename') return TYPENAME;
  if (resource === 'feed') return feed(token);
  if (resource === 'inbox') return inbox(token);
  if (resource === 'messages' && id) return oneMessage(token, decodeURIComponent(id));
  if (resource === 'conversations' && id) {
    return oneConversation(token, decodeURIComponent(id));
  }
  return null;
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let status = 200;
  let body: object | null;
  try {
    const data = await route(request);
    if (data === null) status = 404;
    // The envelope is GraphQL's, so that answers can be compared.
    body = data && { data };
  } catch {
    status = 502;
    body = null;
  }
  const content = Buffer.from(JSON.stringify(body));
  const encoding = toEncoding(request, content);
  const sent =
    encoding === 'br'
      ? brotliCompressSync(content, BROTLI)
      : encoding === 'gzip'
        ? gzipSync(content)
        : content;
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': sent.length,
    ...(encoding !== '' && { 'content-encoding': encoding }),
  });
  response.end(sent);
}

/** The default quality, 11, takes longer than it saves. All targets that compress have this one. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

function toEncoding({ headers }: IncomingMessage, content: Buffer): string {
  const accepted = headers['accept-encoding'] ?? '';
  if (content.length < 1024) return '';
  if (/\bbr\b/.test(accepted)) return 'br';
  return /\bgzip\b/.test(accepted) ? 'gzip' : '';
}

const server = createServer((request, response) => void respond(request, response));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address !== 'object') return;
  process.stdout.write(`ready at http://127.0.0.1:${address?.port}\n`);
});
