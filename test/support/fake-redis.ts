import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** Starts a Redis with the few commands that the gateway needs, in memory. */
export async function startFakeRedis() {
  const texts = new Map<string, string>();
  /** When each ends. None is dropped. Unit: milliseconds. */
  const expires = new Map<string, number>();
  const commands: string[] = [];
  const replies = new Map<string, string>();
  const sockets = new Set<Socket>();
  const subscribers = new Map<Socket, string>();
  let isHanging = false;

  function publish(channel: string, text: string): void {
    const message = `*3\r\n${bulk('message')}${bulk(channel)}${bulk(text)}`;
    for (const [socket, listened] of subscribers)
      if (listened === channel) socket.write(message);
  }

  function answer(socket: Socket, words: readonly string[]): string {
    const [name = '', key = '', value = '', ...options] = words;
    switch (name.toUpperCase()) {
      case 'PTTL':
        return `:${(expires.get(key) ?? 0) - Date.now()}\r\n`;
      case 'DEL':
        return `:${Number(texts.delete(key))}\r\n`;
      case 'GET':
        return bulk(texts.get(key));
      case 'SET':
        if (options.includes('NX') && texts.has(key)) return bulk(undefined);
        texts.set(key, value);
        expires.set(key, Date.now() + 1000 * Number(options[options.indexOf('EX') + 1]));
        return '+OK\r\n';
      case 'EXPIRE':
        return ':1\r\n';
      case 'SUBSCRIBE':
        subscribers.set(socket, key);
        return `*3\r\n${bulk('subscribe')}${bulk(key)}:1\r\n`;
      case 'PUBLISH':
        publish(key, value);
        return ':1\r\n';
      case 'PING':
        return subscribers.has(socket) ? `*2\r\n${bulk('pong')}${bulk('')}` : '+PONG\r\n';
      default:
        return '+OK\r\n';
    }
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      subscribers.delete(socket);
    });
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
      for (let read = readCommand(text); read !== null; read = readCommand(text)) {
        text = read.rest;
        const [name = '', key] = read.words;
        if (!/^(CLIENT|PING)$/i.test(name)) commands.push(`${name.toUpperCase()} ${key}`);
        if (isHanging) continue;
        socket.write(replies.get(name.toUpperCase()) ?? answer(socket, read.words));
      }
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;

  async function stop(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    texts,
    /** The commands it got, without those of the connection itself: `GET key`. */
    commands,
    /** What it answers to a command, by its name, as bytes of the protocol; without one, as Redis does. */
    replies,
    publish,
    /** From now on it takes commands, and answers none. */
    hang() {
      isHanging = true;
    },
    /** Ends all connections, and listens no more. */
    stop,
    /** Listens again, at the same port. */
    async start() {
      await once(server.listen(port, '127.0.0.1'), 'listening');
    },
    [Symbol.asyncDispose]: stop,
  };
}

export type FakeRedis = Awaited<ReturnType<typeof startFakeRedis>>;

const bulk = (text: string | undefined): string =>
  text === undefined ? '$-1\r\n' : `$${Buffer.byteLength(text)}\r\n${text}\r\n`;

/** The first whole command of a text: `*2\r\n$3\r\nGET\r\n$1\r\na\r\n`. Null: there is none yet. Texts are ASCII. */
function readCommand(text: string) {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (head === null) return null;
  let rest = text.slice(head[0].length);
  const words: string[] = [];
  for (let left = Number(head[1]); left > 0; left -= 1) {
    const size = /^\$(\d+)\r\n/.exec(rest);
    if (size === null) return null;
    const begin = size[0].length;
    const end = begin + Number(size[1]);
    if (rest.length < end + 2) return null;
    words.push(rest.slice(begin, end));
    rest = rest.slice(end + 2);
  }
  return { words, rest };
}
