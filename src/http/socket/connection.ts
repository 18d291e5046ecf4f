import { CloseCode } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { CallerOf } from '../../callers/caller-id.ts';
import type { HttpContext } from '../context.ts';
import type { IncomingAccount } from '../incoming.ts';
import { PART_BYTES } from '../limits.ts';
import { PartWriter, type SendPart } from '../part-writer.ts';
import { CLOSE_MS, HEARTBEAT_MS } from '../streams.ts';
import type { Handshake, SocketCaller } from './caller.ts';
import { type SocketEnd, SocketProtocol, TRY_AGAIN_LATER } from './protocol.ts';
import type { SocketPlaces } from './socket-places.ts';
import { unfinishedBytes } from './unfinished.ts';
import { UnreadMessages } from './unread.ts';

/** How long a client may take to send `connection_init`. Unit: milliseconds. */
const INIT_MS = 10_000;
/** While this many replies wait for a client to read them, nothing more is read of it. */
const MAX_REPLIES = 32;
/** "Service Restart": clients connect again. The protocol's own codes would keep them away. */
const SERVICE_RESTART = 1012;

/** One socket: what it reads and sends, whether it is alive, and how it closes. */
export class SocketConnection implements SocketEnd {
  readonly #socket: WebSocket;
  readonly #protocol: SocketProtocol;
  readonly #unread: UnreadMessages;
  readonly #writer: PartWriter;
  readonly #initTimer: NodeJS.Timeout;
  readonly #heartbeats: NodeJS.Timeout;
  /** The unfinished message, and those that are not read. */
  readonly #held: IncomingAccount;
  readonly #callerOf: CallerOf;
  readonly #places: SocketPlaces;
  /** Operations that run or begin, and replies. */
  #underWay = 0;
  #replies = 0;
  #isDraining = false;
  #isOver = false;
  #isAlive = true;
  /** What the last ping holds that was not answered. */
  #pinged: Buffer | null = null;
  #takenBefore = 0;

  constructor(
    socket: WebSocket,
    handshake: Handshake,
    places: SocketPlaces,
    context: HttpContext,
  ) {
    this.#socket = socket;
    this.#callerOf = context.callerOf;
    this.#places = places;
    this.#protocol = new SocketProtocol(this, handshake, context);
    this.#unread = new UnreadMessages(this.#protocol, {
      mayRead: () => this.#replies < MAX_REPLIES,
      pause: () => socket.pause(),
      onStop: () => this.#receiveOn(),
    });
    this.#held = context.incoming.open(this.#protocol, () => this.#giveUp());
    const recipient = {
      requestId: handshake.id,
      isGone: () => socket.readyState === socket.CLOSED,
      disconnect: () => this.destroy(),
    };
    // As fragments of a message, between which pings find a place.
    const sendPart: SendPart = (part, fin, taken) =>
      socket.send(part, { binary: false, fin }, (error) => {
        // Then the socket is closing, and drops what waits.
        if (!error) taken();
      });
    this.#writer = new PartWriter(sendPart, recipient, context.slowClients);
    this.#initTimer = setTimeout(() => {
      const code = CloseCode.ConnectionInitialisationTimeout;
      this.close(code, 'Connection initialisation timeout');
    }, INIT_MS).unref();
    this.#heartbeats = setInterval(() => this.#beat(), HEARTBEAT_MS).unref();
    socket.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary));
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    socket.on('ping', (data) => {
      if (this.#pinged === null) setImmediate(() => this.#pong());
      this.#pinged = data;
    });
    // Such as a message that is too long: `ws` closes the socket, but would wait long for its client to agree.
    socket.on('error', () => {
      this.#isOver = true;
      this.#dropWaiting();
      setTimeout(() => this.destroy(), CLOSE_MS).unref();
    });
    places.open(this);
    const ended = context.streams.add({
      transport: 'websocket',
      close: () => this.drain(),
      destroy: () => this.destroy(),
    });
    socket.once('close', () => {
      this.#closed();
      places.closed(this);
      ended();
    });
  }

  /** More of what the client sends has come. */
  countUnread(): void {
    const bytes = unfinishedBytes(this.#socket) + this.#unread.bytes;
    if (!this.#held.hold(bytes)) this.#giveUp();
  }

  /** Whether it has a place of its own, as it is the socket of an accepted caller. */
  get isAccepted(): boolean {
    return this.#places.isHeld(this);
  }

  get name(): string {
    return this.#protocol.name ?? '';
  }

  admit({ name }: SocketCaller): boolean {
    clearTimeout(this.#initTimer);
    return this.#places.admit(this, this.#callerOf(name));
  }

  async send(text: string): Promise<void> {
    const isOpen = this.#socket.readyState === this.#socket.OPEN;
    if (isOpen && !this.#isOver) await this.#writer.send(text);
  }

  close(code: number, reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#dropWaiting();
    this.#socket.close(code, reason);
    // A socket that is not read would not see that its client agrees.
    this.#socket.resume();
    setTimeout(() => this.destroy(), CLOSE_MS).unref();
  }

  destroy(): void {
    this.#isOver = true;
    this.#dropWaiting();
    this.#socket.terminate();
  }

  /** Closes when what runs has been answered. What has not begun is sent again by the client, to another replica. */
  drain(): void {
    this.#isDraining = true;
    this.#dropWaiting();
    this.countUnread();
    if (this.#underWay > 0) return;
    this.#protocol.drain();
    this.close(SERVICE_RESTART, 'Service Restart');
  }

  reply(text: string): void {
    this.enter();
    this.#replies += 1;
    if (this.#replies === MAX_REPLIES) this.#socket.pause();
    void this.send(text).then(() => {
      this.#replies -= 1;
      this.leave();
      void this.#unread.read();
    });
  }

  enter(): void {
    this.#underWay += 1;
  }

  leave(): void {
    this.#underWay -= 1;
    this.#places.settle(this);
    if (this.#isDraining && this.#underWay === 0) this.drain();
  }

  /** There is no room for what it has sent and was not read: an unfinished message, or messages that wait to be read. */
  #giveUp(): void {
    this.close(TRY_AGAIN_LATER, 'Too many bytes are held');
    // Until the client agrees to the close, it would go on to receive.
    setImmediate(() => this.destroy());
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#isOver) return;
    this.#isAlive = true;
    if (isBinary) {
      this.#protocol.malformed();
      return;
    }
    // It is no unfinished message any more: from here on it counts as a waiting one, or as an operation.
    this.#held.end();
    const lifetime = this.#protocol.startLifetime(data);
    // The client sends it again, to another replica. What begins no operation may still cancel one.
    if (this.#isDraining && lifetime !== null) {
      lifetime.stopDeadline();
      return;
    }
    this.#unread.add(data, lifetime);
  }

  /** Answers only the newest ping: one answer counts for all earlier pings, too (RFC 6455, 5.5.3). */
  #pong(): void {
    const socket = this.#socket;
    if (socket.bufferedAmount < PART_BYTES) socket.pong(this.#pinged ?? undefined);
    this.#pinged = null;
  }

  /** Receives more, if it has stopped to and may go on. */
  #receiveOn(): void {
    if (!this.#socket.isPaused || this.#isOver) return;
    if (this.#replies < MAX_REPLIES) this.#socket.resume();
    this.#held.end();
    this.countUnread();
  }

  #dropWaiting(): void {
    this.#unread.clear();
    this.#protocol.dropWaiting();
  }

  /** Ends a connection that is half open: nothing has come or gone since the last ping, although it was read. */
  #beat(): void {
    this.#places.settle(this);
    const { takenBytes } = this.#writer;
    const isBusy = this.#socket.isPaused || takenBytes > this.#takenBefore;
    if (!this.#isAlive && !isBusy) {
      this.destroy();
      return;
    }
    this.#isAlive = false;
    this.#takenBefore = takenBytes;
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
  }

  #closed(): void {
    this.#isOver = true;
    clearTimeout(this.#initTimer);
    clearInterval(this.#heartbeats);
    this.#dropWaiting();
    this.#held.end();
    this.#writer.close();
    this.#protocol.cancel();
  }
}
