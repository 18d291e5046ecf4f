import type { CallerId } from './caller-id.ts';
import { ByteQuota } from './shares.ts';

/** Counted from the first send. Unit: milliseconds. */
const KEPT_MS = 600_000;
/** Of all callers, and of one. Unit: bytes. */
const BOUNDS = { inAll: 33_554_432, oneCaller: 25_165_824 };
/** What a key takes without the object that was sent. Unit: bytes. */
const BYTES_PER_KEY = 1024;
/** Longer objects are not kept, only their ids. Unit: bytes. */
const MAX_OBJECT_BYTES = 65_536;
/** All whose tokens the service has not accepted count as one caller: anybody can make up tokens. */
const STRANGERS = '';

/** What one caller sends, or has sent, under a key. */
export interface KeyedSend<T> {
  readonly callerKey: string;
  readonly key: string;
  /** A hash of what is sent. */
  readonly content: string;
  /** On the clock of `performance.now()`. Unit: milliseconds. */
  began: number;
  /** Null while nothing is under way. */
  running: Promise<T> | null;
  /** The code of the error after which it was not known whether it has arrived; null: it was never so. */
  unknown: string | null;
  /** The id of what was sent; null until that is known. */
  sentId: string | null;
  /** What was sent; null if it is not kept. */
  sent: T | null;
  /** Under whose share it counts, and how much; null: there is no room, so it is kept only while it is under way. */
  held: { readonly share: string; readonly bytes: number } | null;
}

/** What all replicas know of keys. */
export interface SharedSends {
  /** Waits until no other replica sends under this key, or it is known what became of it; null if that cannot be known. */
  takeTurn(
    token: string,
    send: { readonly key: string; readonly content: string },
    signal: { readonly aborted: boolean },
  ): Promise<SharedTurn | null>;
  /** As `SentOnce.keyOf`. */
  keyOf(token: string, id: string): Promise<string | null>;
}

export interface SharedTurn {
  /** False: the signal was aborted before the turn came, or it is not needed, because of what is known. */
  readonly isOwn: boolean;
  /** The sends before, of any replica; null: there were none. */
  readonly before: {
    /** Whether they were of the same content. */
    readonly isSame: boolean;
    readonly sentId: string | null;
    /** When the first began. */
    readonly agoMs: number;
  } | null;
  /** Ends the turn; `sentId`: null if nothing was sent, undefined if that is not known. */
  end(sentId: string | null | undefined): void;
}

/** What callers have sent under keys of their own in the last ten minutes, so that it is not sent twice. */
export class SentOnce<T extends { readonly id: string }> {
  /** By caller and key, the oldest first. */
  readonly #byKey = new Map<string, KeyedSend<T>>();
  /** By caller and id of what was sent. */
  readonly #bySentId = new Map<string, KeyedSend<T>>();
  /** Those of which it is not known that they have arrived. */
  readonly #open = new Set<KeyedSend<T>>();
  readonly #quota = new ByteQuota(BOUNDS);
  /** Null: there are no other replicas. */
  readonly shared: SharedSends | null;

  constructor(shared: SharedSends | null) {
    this.shared = shared;
  }

  find({ key: caller }: CallerId, key: string): KeyedSend<T> | null {
    const oldest = performance.now() - KEPT_MS;
    for (const send of this.#byKey.values()) {
      if (send.began > oldest) break;
      if (send.running === null) this.drop(send);
    }
    return this.#byKey.get(toName(caller, key)) ?? null;
  }

  begin(caller: CallerId, key: string, content: string): KeyedSend<T> {
    const send: KeyedSend<T> = {
      callerKey: caller.key,
      key,
      content,
      began: performance.now(),
      running: null,
      unknown: null,
      sentId: null,
      sent: null,
      held: this.#hold(caller, 0),
    };
    this.#byKey.set(toName(caller.key, key), send);
    this.#open.add(send);
    return send;
  }

  arrived(send: KeyedSend<T>, caller: CallerId, sent: T): void {
    const bytes = 2 * JSON.stringify(sent).length;
    this.#release(send);
    // The service may have accepted the token just now.
    send.held = bytes > MAX_OBJECT_BYTES ? null : this.#hold(caller, bytes);
    if (send.held !== null) send.sent = sent;
    send.held ??= this.#hold(caller, 0);
    send.sentId = sent.id;
    this.#open.delete(send);
    this.#bySentId.set(toName(send.callerKey, sent.id), send);
  }

  /** Its key may be used for something else. */
  drop(send: KeyedSend<T>): void {
    this.#byKey.delete(toName(send.callerKey, send.key));
    this.#bySentId.delete(toName(send.callerKey, send.sentId ?? ''));
    this.#open.delete(send);
    this.#release(send);
  }

  /** The key under which the caller sent the object with this id; null if it is not known. */
  keyOf({ key: caller }: CallerId, id: string): string | null {
    return this.#bySentId.get(toName(caller, id))?.key ?? null;
  }

  /** What of the caller is under way, or has an unknown outcome. */
  open({ key: caller }: CallerId): KeyedSend<T>[] {
    return [...this.#open].filter(({ callerKey }) => callerKey === caller);
  }

  #hold(caller: CallerId, bytes: number): KeyedSend<T>['held'] {
    const share = caller.isAccepted ? caller.key : STRANGERS;
    const held = { share, bytes: BYTES_PER_KEY + bytes };
    return this.#quota.reserve(share, held.bytes) ? held : null;
  }

  #release({ held }: KeyedSend<T>): void {
    if (held !== null) this.#quota.release(held.share, held.bytes);
  }
}

const toName = (caller: string, name: string): string => `${caller} ${name}`;
