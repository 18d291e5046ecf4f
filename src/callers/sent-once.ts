import { type CallerId, STRANGERS } from './caller-id.ts';
import { Held } from './shares.ts';

/** Counted from the first send. Unit: milliseconds. */
const KEPT_MS = 600_000;
/** What all callers have sent takes no more; beyond that, the oldest of the one who has the most is forgotten. Unit: bytes. */
const MAX_BYTES = 33_554_432;
/** What a key takes without the object that was sent. Unit: bytes. */
const BYTES_PER_KEY = 1024;
/** Longer objects are not kept, only their ids. Unit: bytes. */
const MAX_OBJECT_BYTES = 16_384;

/** What one caller sends, or has sent, under a key. */
export interface KeyedSend<T> {
  readonly callerKey: string;
  readonly key: string;
  /** A hash of what is sent. */
  readonly content: string;
  /** On the clock of `performance.now()`. Unit: milliseconds. */
  began: number;
  /** What is being sent, or was sent; null: nothing is under way, or what was sent is too long to be kept. */
  sent: Promise<T> | null;
  /** The id of what was sent; null until that is known. */
  sentId: string | null;
  /** Whether it may have arrived without an answer. */
  isUnknown: boolean;
  /** For whom it counts: its caller, or all strangers. */
  share: string;
  bytes: number;
}

/** What callers have sent under keys of their own in the last ten minutes, so that it is not sent twice. */
export class SentOnce<T extends { readonly id: string }> {
  /** By caller and key, the oldest first. */
  readonly #byKey = new Map<string, KeyedSend<T>>();
  /** By caller and id of what was sent. */
  readonly #bySentId = new Map<string, KeyedSend<T>>();
  /** Those of which it is not known that they have arrived. */
  readonly #open = new Set<KeyedSend<T>>();
  /** The bytes of all, and of each share. */
  readonly #held = new Held();

  find({ key: caller }: CallerId, key: string): KeyedSend<T> | null {
    const oldest = performance.now() - KEPT_MS;
    for (const send of this.#byKey.values()) {
      if (send.began > oldest) break;
      if (!isUnderWay(send)) this.drop(send);
    }
    return this.#byKey.get(toName(caller, key)) ?? null;
  }

  begin(caller: CallerId, key: string, content: string): KeyedSend<T> {
    const send: KeyedSend<T> = {
      callerKey: caller.key,
      key,
      content,
      began: performance.now(),
      sent: null,
      sentId: null,
      isUnknown: false,
      share: '',
      bytes: 0,
    };
    this.#byKey.set(toName(caller.key, key), send);
    this.#open.add(send);
    this.#hold(send, caller, BYTES_PER_KEY);
    return send;
  }

  arrived(send: KeyedSend<T>, caller: CallerId, sent: T): void {
    const bytes = 2 * JSON.stringify(sent).length;
    const isKept = bytes <= MAX_OBJECT_BYTES;
    if (!isKept) send.sent = null;
    send.sentId = sent.id;
    this.#open.delete(send);
    this.#bySentId.set(toName(send.callerKey, sent.id), send);
    // The service may have accepted the token just now.
    this.#hold(send, caller, BYTES_PER_KEY + (isKept ? bytes : 0));
  }

  /** Its key may be used for something else. */
  drop(send: KeyedSend<T>): void {
    this.#byKey.delete(toName(send.callerKey, send.key));
    this.#bySentId.delete(toName(send.callerKey, send.sentId ?? ''));
    this.#open.delete(send);
    this.#held.add(send.share, -send.bytes);
    send.bytes = 0;
  }

  /** The key under which the caller sent the object with this id; null if it is not known. */
  keyOf({ key: caller }: CallerId, id: string): string | null {
    return this.#bySentId.get(toName(caller, id))?.key ?? null;
  }

  /** What of the caller is under way, or has an unknown outcome. */
  open({ key: caller }: CallerId): KeyedSend<T>[] {
    return [...this.#open].filter(({ callerKey }) => callerKey === caller);
  }

  #hold(send: KeyedSend<T>, caller: CallerId, bytes: number): void {
    this.#held.add(send.share, -send.bytes);
    // Anybody can make up tokens, so all that the service has not accepted count as one caller.
    send.share = caller.isAccepted ? caller.owner : STRANGERS;
    send.bytes = bytes;
    this.#held.add(send.share, bytes);
    while (this.#held.total > MAX_BYTES) {
      const oldest = this.#oldestOf(this.#held.largest);
      if (oldest === undefined) return;
      this.drop(oldest);
    }
  }

  /** The oldest that is not under way. */
  #oldestOf(share: string | undefined): KeyedSend<T> | undefined {
    return this.#byKey.values().find((send) => send.share === share && !isUnderWay(send));
  }
}

const isUnderWay = ({ sent, sentId }: KeyedSend<unknown>): boolean =>
  sent !== null && sentId === null;

const toName = (caller: string, name: string): string => `${caller} ${name}`;
