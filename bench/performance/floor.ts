/**
 * The floor: the endpoints that a team would write by hand for the workloads, with `node:http` and undici's `request`.
 * They parse the service's answers, pick the fields and stringify; there is no GraphQL in them.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
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
/** The levels of the gateway, so that the comparison shows other things. Brotli's default, 11, takes longer than it saves. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } };
const GZIP = { level: 3 };

async function call<T>(authorization: string, path: string, form?: string): Promise<T> {
  const type = 'application/x-www-form-urlencoded';
  const { statusCode, body } = await service.request({
    method: form === undefined ? 'GET' : 'POST',
    path: `/v1/${path}`,
    headers:
      form === undefined ? { authorization } : { authorization, 'content-type': type },
    body: form ?? null,
  });
  if (statusCode < 300) return (await body.json()) as T;
  await body.dump();
  throw new Error(`the service answered ${statusCode}`);
}

const getConversation = (token: string, id: string) =>
  call<WireConversation>(token, `conversations/${encodeURIComponent(id)}`);
const getMessage = (token: string, id: string) =>
  call<WireMessage>(token, `messages/${encodeURIComponent(id)}`);

async function feed(token: string): Promise<object> {
  const { data } = await call<Page<WireConversation>>(token, 'conversations?limit=10');
  const nodes = data.map(async ({ id, is_pinned, last_active_at }) => {
    const query = `conversation_id=${encodeURIComponent(id)}&limit=10`;
    const page = await call<Page<WireMessage>>(token, `messages?${query}`);
    const messages = page.data.map(({ id, message, created_at, contact }) => ({
      id,
      message,
      createdAt: created_at,
      contact: {
        id: contact.id,
        username: contact.username,
        avatarUrl: contact.avatar_url,
      },
    }));
    return {
      id,
      isPinned: is_pinned,
      lastActiveAt: last_active_at,
      messages: { nodes: messages },
    };
  });
  return { conversations: { nodes: await Promise.all(nodes) } };
}

async function inbox(token: string): Promise<object> {
  const { data } = await call<Page<WireMessage>>(token, 'messages?limit=50');
  const ids = [...new Set(data.map((message) => message.conversation_id))];
  const conversations = await Promise.all(
    ids.map(async (id) => {
      const { is_muted, pinned_message_id } = await getConversation(token, id);
      const pinned =
        pinned_message_id === null ? null : await getMessage(token, pinned_message_id);
      const pinnedMessage = pinned && { id: pinned.id, message: pinned.message };
      return { id, isMuted: is_muted, pinnedMessage };
    }),
  );
  const byId = new Map(
    conversations.map((conversation) => [conversation.id, conversation]),
  );
  const nodes = data.map(({ id, message, conversation_id }) => ({
    id,
    message,
    conversation: byId.get(conversation_id),
  }));
  return { messages: { nodes } };
}

async function oneMessage(token: string, id: string): Promise<object> {
  const { message, created_at, conversation_id } = await getMessage(token, id);
  const conversation = await getConversation(token, conversation_id);
  return {
    message: {
      id,
      message,
      createdAt: created_at,
      conversation: {
        id: conversation.id,
        isMuted: conversation.is_muted,
        createdAt: conversation.created_at,
      },
    },
  };
}

async function oneConversation(token: string, id: string): Promise<object> {
  const { is_pinned, is_muted, created_at } = await getConversation(token, id);
  return {
    conversation: { id, isPinned: is_pinned, isMuted: is_muted, createdAt: created_at },
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

function route(request: IncomingMessage): object | Promise<object> | null {
  const { method, url = '' } = request;
  const token = request.headers.authorization ?? '';
  const [, resource, id] = url.split('/');
  if (method === 'POST') return resource === 'messages' ? send(token, request) : null;
  if (resource === 'typename') return { __typename: 'Query' };
  if (resource === 'feed') return feed(token);
  if (resource === 'inbox') return inbox(token);
  if (resource === 'messages' && id) return oneMessage(token, decodeURIComponent(id));
  if (resource === 'conversations' && id)
    return oneConversation(token, decodeURIComponent(id));
  return null;
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let status = 200;
  let body: object | null = null;
  try {
    const data = await route(request);
    if (data === null) status = 404;
    // The envelope is GraphQL's, so that answers can be compared.
    else body = { data };
  } catch {
    status = 502;
  }
  const content = Buffer.from(JSON.stringify(body));
  const compress = toCompression(request, content);
  const sent = compress?.(content) ?? content;
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': sent.length,
    ...(compress && { 'content-encoding': compress === brotli ? 'br' : 'gzip' }),
  });
  response.end(sent);
}

const brotli = (content: Buffer) => brotliCompressSync(content, BROTLI);
const gzip = (content: Buffer) => gzipSync(content, GZIP);

function toCompression({ headers }: IncomingMessage, content: Buffer) {
  const accepted = headers['accept-encoding'] ?? '';
  if (content.length < 1024) return null;
  if (/\bbr\b/.test(accepted)) return brotli;
  return /\bgzip\b/.test(accepted) ? gzip : null;
}

const server = createServer((request, response) => void respond(request, response));
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`ready at http://127.0.0.1:${port}\n`);
});
