import { CloseCode, type Message, MessageType, type SubscribeMessage } from 'graphql-ws';
import { type CallerId, STRANGERS } from '../../callers/caller-id.ts';
import { turnOfNew } from '../../callers/thread.ts';
import { Lifetime } from '../../callers/time-limit.ts';
import { BodyError } from '../body.ts';
import type { HttpContext } from '../context.ts';
import { OVERLOADED, toErrors } from '../error-responses.ts';
import { parseHeld } from '../json-body.ts';
import { SHORT_BODY_BYTES } from '../limits.ts';
import { type Handshake, type SocketCaller, toSocketCaller } from './caller.ts';
import {
  findField,
  MAX_ID_LENGTH,
  readMessage,
  toAck,
  toError,
  toPong,
} from './messages.ts';
import { runOperation, type SocketOperation } from './operation.ts';
import { type Beginner, WaitingMessages } from './waiting.ts';

/** What the protocol needs of its socket. */
export interface SocketEnd {
  /** The caller is known. Returns whether it may have a socket. */
  admit(caller: SocketCaller): boolean;
  /** Resolves when the connection has taken the message, or is closed. */
  send(text: string): Promise<void>;
  /** Sends an answer to a message. While the client does not read these, nothing more is read of it. */
  reply(text: string): void;
  close(code: number, reason: string): void;
  /** An operation begins; `leave` ends it. */
  enter(): void;
  leave(): void;
  destroy(): void;
}

/** "Try Again Later". */
export const TRY_AGAIN_LATER = 1013;
/** While this many queries and mutations run, or subscriptions begin, others wait. A token that was never accepted has fewer. */
const MAX_RUNNING = 32;
const MAX_RUNNING_OF_STRANGER = 8;
/** A reason takes at most 123 bytes, and a character at most 3. Unit: characters. */
const MAX_NAMED_ID = 30;

/**
 * The protocol graphql-transport-ws, for one socket. The package graphql-ws checks the messages. Its server is not used: it
 * would parse each answer only to write it again, loses an operation whose id is used again, and does not notice a client
 * that cancels what has not been answered yet.
 */
export class SocketProtocol implements Beginner {
  readonly #end: SocketEnd;
  readonly #handshake: Handshake;
  readonly #context: HttpContext;
  readonly #operations = new Map<string, SocketOperation>();
  readonly #waiting: WaitingMessages;
  #running = 0;
  #caller: SocketCaller | null = null;
  /** Operations so far. */
  #count = 0;

  constructor(end: SocketEnd, handshake: Handshake, context: HttpContext) {
    this.#end = end;
    this.#handshake = handshake;
    this.#context = context;
    this.#waiting = new WaitingMessages(context.incoming, this);
  }

  get name(): string | null {
    return this.#caller?.name ?? null;
  }

  get address(): string | undefined {
    return this.#handshake.address;
  }

  /** Looked up each time: the service may accept or refuse the token while the socket is open. */
  get #callerNow(): CallerId {
    return this.#context.callerOf(this.name, this.address);
  }

  get hasRoom(): boolean {
    const { share } = this.#callerNow;
    return this.#running < (share === STRANGERS ? MAX_RUNNING_OF_STRANGER : MAX_RUNNING);
  }

  /** Starts the time of the operation that a message may begin. Null: it is short and begins none, such as a ping. */
  startLifetime(data: Buffer): Lifetime | null {
    const type = data.length <= SHORT_BODY_BYTES ? findField(data, 'type') : null;
    const beginsNone = type !== null && type !== MessageType.Subscribe;
    return beginsNone ? null : new Lifetime(this.#context.operationTime);
  }

  turnFor(lifetime: Lifetime | null): Promise<unknown> | undefined {
    if (lifetime === null) return undefined;
    return turnOfNew(this.#callerNow, lifetime);
  }

  /**
   * Lets a message wait if it begins an operation and enough of these run already. True: it waits, or was refused. False: it
   * is to be handled now.
   */
  putOff(data: Buffer, lifetime: Lifetime): boolean {
    if (this.hasRoom && this.#waiting.size === 0) return false;
    if (findField(data, 'type') !== MessageType.Subscribe) return false;
    const id = findField(data, 'id');
    if (id === null || id.length > MAX_ID_LENGTH) return false;
    const refuse = () => this.#end.reply(toError(id, toErrors(OVERLOADED).errors));
    if (!this.#isUsed(id) && this.#waiting.add(id, data, lifetime, refuse)) return true;
    lifetime.stopDeadline();
    if (this.#isUsed(id)) this.#closeForId(id);
    else refuse();
    return true;
  }

  /** Does what a message asks for. `lifetime`: that of the operation, if it may begin one. */
  handle(data: Buffer, lifetime: Lifetime | null): void {
    try {
      const { value, release } = parseHeld(data, this.#callerNow, this.#context);
      this.#handle(readMessage(value), release, lifetime);
    } catch (error) {
      lifetime?.stopDeadline();
      if (!(error instanceof BodyError)) throw error;
      if (error.statusCode === OVERLOADED) this.#refuse(data);
      else this.malformed();
    }
  }

  /** Refuses a long message, which is not parsed. */
  #refuse(data: Buffer): void {
    const id = this.#caller === null ? null : findField(data, 'id');
    if (id === null) this.#end.close(TRY_AGAIN_LATER, 'Too many bytes are held');
    else this.#end.reply(toError(id, toErrors(OVERLOADED).errors));
  }

  malformed(): void {
    this.#end.close(CloseCode.BadRequest, 'Invalid message received');
  }

  /** Ends the subscriptions, of which nothing more is sent. */
  drain(): void {
    for (const operation of this.#operations.values()) operation.drain();
  }

  /** Forgets the messages that wait until others have ended. */
  dropWaiting(): void {
    this.#waiting.clear();
  }

  /** The client has left. */
  cancel(): void {
    for (const operation of this.#operations.values()) operation.cancel();
    this.#operations.clear();
  }

  /** `release` is called when the message is not needed any more. */
  #handle(message: Message | null, release: () => void, lifetime: Lifetime | null): void {
    if (message?.type === MessageType.Subscribe) {
      // No lifetime: it has a second, other `type`.
      if (lifetime === null) this.malformed();
      else this.#subscribe(message, release, lifetime);
      return;
    }
    lifetime?.stopDeadline();
    release();
    if (message?.type === MessageType.ConnectionInit) this.#begin(message.payload);
    else if (message?.type === MessageType.Ping) this.#end.reply(toPong(message.payload));
    else if (message?.type === MessageType.Complete) this.#complete(message.id);
    else if (message?.type !== MessageType.Pong) this.malformed();
  }

  #begin(payload: unknown): void {
    if (this.#caller !== null) {
      const code = CloseCode.TooManyInitialisationRequests;
      this.#end.close(code, 'Too many initialisation requests');
      return;
    }
    const caller = toSocketCaller(this.#handshake, payload, this.#context.forwardHeaders);
    if (caller === null) this.malformed();
    else if (!this.#end.admit(caller)) {
      this.#end.close(TRY_AGAIN_LATER, 'Too many connections');
    } else {
      this.#caller = caller;
      void this.#end.send(toAck(caller.id));
    }
  }

  #complete(id: string): void {
    this.#waiting.drop(id);
    this.#operations.get(id)?.cancel();
    this.#operations.delete(id);
  }

  #subscribe(message: SubscribeMessage, release: () => void, lifetime: Lifetime): void {
    const { id } = message;
    const isUsed = this.#isUsed(id);
    // One whose time is up takes no room: it is answered at once.
    if (this.#caller !== null && !isUsed && (this.hasRoom || lifetime.aborted)) {
      this.#run(message, this.#caller, lifetime, release);
      return;
    }
    lifetime.stopDeadline();
    release();
    if (this.#caller === null) this.#end.close(CloseCode.Unauthorized, 'Unauthorized');
    else if (isUsed) this.#closeForId(id);
    // It did not wait, because `putOff` had not found its type and id, which may be written with escapes.
    else this.#end.reply(toError(id, toErrors(OVERLOADED).errors));
  }

  #isUsed(id: string): boolean {
    return this.#operations.has(id) || this.#waiting.has(id);
  }

  #closeForId(id: string): void {
    const name = id.length > MAX_NAMED_ID ? 'this id' : id;
    const code = CloseCode.SubscriberAlreadyExists;
    this.#end.close(code, `Subscriber for ${name} already exists`);
  }

  #run(
    message: SubscribeMessage,
    caller: SocketCaller,
    lifetime: Lifetime,
    release: () => void,
  ): void {
    const { id } = message;
    this.#count += 1;
    const own = { ...caller, id: `${caller.id}.${this.#count}` };
    // The client may have completed it, and used its id again.
    const isCurrent = () => this.#operations.get(id) === operation;
    const leave = () => {
      release();
      this.#running -= 1;
      this.#end.leave();
      void this.#waiting.begin();
    };
    this.#running += 1;
    this.#end.enter();
    const operation = runOperation(message, own, lifetime, this.#context, {
      send: async (text) => {
        if (isCurrent()) await this.#end.send(text);
      },
      begun: leave,
      ended: (hadBegun) => {
        if (isCurrent()) this.#operations.delete(id);
        if (!hadBegun) leave();
      },
      overrun: () => this.#end.destroy(),
    });
    this.#operations.set(id, operation);
  }
}
