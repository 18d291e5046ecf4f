import { CloseCode } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { Sendings } from '../sendings.ts';
import { CLOSE_MS, HEARTBEAT_MS } from '../streams.ts';
import type { SocketCaller, Upgrade } from './caller.ts';
import { type ProtocolOptions, type SocketEnd, SocketProtocol } from './protocol.ts';
import { SocketWriter } from './writer.ts';

export interface ConnectionOptions extends ProtocolOptions {
  readonly sendings: Sendings;
  readonly closed: () => void;
}

/** How long a client may take to send `connection_init`. Unit: milliseconds. */
const INIT_MS = 10_000;
/** While this many queries and mutations run, or subscriptions begin, nothing more is read. */
const MAX_UNDER_WAY = 32;
/** "Service Restart": clients connect again. The protocol's own codes would keep them away. */
const SERVICE_RESTART = 1012;

/** One socket: what it reads and sends, whether it is alive, and how it closes. */
export class SocketConnection implements SocketEnd {
  readonly #socket: WebSocket;
  readonly #protocol: SocketProtocol;
  readonly #writer: SocketWriter;
  readonly #initTimer: NodeJS.Timeout;
  readonly #heartbeats: NodeJS.Timeout;
  #underWay = 0;
  /** A long message waits for its turn to be read. */
  #isReading = false;
  /** Messages that had arrived when enough was under way, or behind a long one. */
  #waiting: Buffer[] = [];
  #isDraining = false;
  #isOver = false;
  #isAlive = true;
  #takenBefore = 0;

  constructor(socket: WebSocket, upgrade: Upgrade, options: ConnectionOptions) {
    this.#socket = socket;
    this.#protocol = new SocketProtocol(this, upgrade, {
      ...options,
      admit: (caller) => this.#admit(caller, options),
    });
    const client = {
      requestId: upgrade.id,
      isGone: () => socket.readyState === socket.CLOSED,
      disconnect: () => this.destroy(),
    };
    this.#writer = new SocketWriter(socket, client, options.sendings);
    this.#initTimer = setTimeout(() => {
      const code = CloseCode.ConnectionInitialisationTimeout;
      this.close(code, 'Connection initialisation timeout');
    }, INIT_MS).unref();
    this.#heartbeats = setInterval(() => this.#beat(), HEARTBEAT_MS).unref();
    socket.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary));
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    // Such as a message that is too long: the socket closes by itself.
    socket.on('error', () => {});
    socket.once('close', () => {
      this.#closed();
      options.closed();
    });
  }

  async send(text: string): Promise<void> {
    if (!this.#isOver) await this.#writer.send(text);
  }

  close(code: number, reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#socket.close(code, reason);
    // A socket that is not read would not see that its client agrees.
    this.#socket.resume();
    setTimeout(() => this.destroy(), CLOSE_MS).unref();
  }

  destroy(): void {
    this.#isOver = true;
    this.#socket.terminate();
  }

  /** Closes when what runs has been answered. What has not begun is sent again by the client, to another replica. */
  drain(): void {
    this.#isDraining = true;
    this.#waiting = [];
    if (this.#underWay > 0) return;
    this.#protocol.drain();
    this.close(SERVICE_RESTART, 'Service Restart');
  }

  enter(): void {
    this.#underWay += 1;
    if (this.#underWay === MAX_UNDER_WAY) this.#socket.pause();
  }

  leave(): void {
    this.#underWay -= 1;
    if (this.#isDraining && this.#underWay === 0) this.drain();
    this.#readOn();
  }

  get #mayRead(): boolean {
    return this.#underWay < MAX_UNDER_WAY && !this.#isReading;
  }

  #readOn(): void {
    while (this.#mayRead && !this.#isOver) {
      const data = this.#waiting.shift();
      if (data === undefined) break;
      this.#read(data);
    }
    if (this.#mayRead && this.#socket.isPaused) this.#socket.resume();
  }

  #read(data: Buffer): void {
    const turn = this.#protocol.turnFor(data);
    if (turn === undefined) this.#protocol.handle(data);
    else void this.#readAfter(turn, data);
  }

  async #readAfter(turn: Promise<void>, data: Buffer): Promise<void> {
    this.#isReading = true;
    this.#socket.pause();
    await turn;
    this.#isReading = false;
    if (!this.#isOver && !this.#isDraining) this.#protocol.handle(data);
    this.#readOn();
  }

  #admit(caller: SocketCaller, { admit }: ConnectionOptions): boolean {
    clearTimeout(this.#initTimer);
    return admit(caller);
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#isOver || this.#isDraining) return;
    this.#isAlive = true;
    if (isBinary) this.#protocol.malformed();
    else if (this.#mayRead) this.#read(data);
    else this.#waiting.push(data);
  }

  /** Ends a connection that is half open: nothing has come or gone since the last ping, although it was read. */
  #beat(): void {
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
    this.#waiting = [];
    this.#writer.close();
    this.#protocol.cancel();
  }
}
