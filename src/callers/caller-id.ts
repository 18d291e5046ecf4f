import { hash, randomBytes } from 'node:crypto';
import type { CallerState } from './caller-state.ts';

/** New in each process, so that a key says nothing about its token outside the process. */
const SALT = randomBytes(16).toString('base64');
/** The share of all callers whose tokens the service has not accepted. No token is empty. */
export const STRANGERS = '';
const toKey = (name: string): string => hash('sha256', SALT + name, 'base64');
/** Between the key of a token and that of a name. */
const AND = ':';
/**
 * The part of a caller's key that comes from its token. A client can make up values of headers and so become many callers, but all of
 * them have this part. Whatever counts callers compares it.
 */
export const ownerOf = (key: string): string => key.split(AND, 1)[0] ?? '';

/** Ends a name that is JSON of token and headers. No token has a line break, so a name without one is a token. */
const END = '\n';

/** Names a caller by its token and the headers that go on with its calls. Undefined ones are left out. */
export const toCallerName = (token: string, forwarded: object): string =>
  JSON.stringify([token, forwarded]) + END;

/**
 * The caller for whom slots, bytes and turns are counted. A caller whose token the service has not accepted is a stranger:
 * anybody can make up thousands of tokens, so all strangers get one caller's share. What follows from the token is computed
 * when needed.
 */
export class CallerId {
  /**
   * Its token and, with FORWARD_HEADERS, the values of these: all that is kept for it while it runs is kept under this. Empty: no token.
   * It must not be logged: the token is in it.
   */
  readonly name: string;
  /** What is known of its calls: looked up at the first of them, and kept in `Callers`. */
  state: CallerState | undefined;
  readonly #isAccepted: (key: string) => boolean;
  #key: string | null = null;
  #share: string | null = null;
  #subgroup: ShareKey | null = null;
  readonly #address: string | undefined;

  /** `address`: that of the other end of its connection, if there is one. */
  constructor(
    name: string | null,
    isAccepted: (key: string) => boolean,
    address?: string,
  ) {
    this.name = name ?? '';
    this.#isAccepted = isAccepted;
    this.#address = address;
  }

  get token(): string {
    return this.name.endsWith(END) ? JSON.parse(this.name)[0] : this.name;
  }

  /** The headers of its request that go with each of its calls; null without FORWARD_HEADERS. */
  get forwarded(): Readonly<Record<string, string>> | null {
    return this.name.endsWith(END) ? JSON.parse(this.name)[1] : null;
  }

  /** A short text that is equal for equal names. What is kept for a caller after its calls is kept under this key. */
  get key(): string {
    this.#key ??= this.name.endsWith(END)
      ? toKey(this.token) + AND + toKey(this.name)
      : toKey(this.name);
    return this.#key;
  }

  /** See ownerOf. */
  get owner(): string {
    return ownerOf(this.key);
  }

  /** Whether its token was accepted before now. */
  get isAccepted(): boolean {
    return this.name !== '' && this.#isAccepted(this.key);
  }

  /**
   * The name under which it takes its share: its token, or that of all strangers. It never changes, so that everything is
   * given back under the name under which it was taken.
   */
  get share(): string {
    this.#share ??= this.isAccepted ? this.token : STRANGERS;
    return this.#share;
  }

  /**
   * Anybody can make up tokens and headers. So the strangers of one network share what it gets, and in it each name; accepted callers
   * of one token share what that gets, and in it each name.
   */
  get subgroup(): ShareKey | null {
    const { share, name } = this;
    if (this.#subgroup !== null || (share !== STRANGERS && share === name))
      return this.#subgroup;
    const own = { share: name, subgroup: null };
    this.#subgroup = share === STRANGERS ? { share: this.network, subgroup: own } : own;
    return this.#subgroup;
  }

  get network(): string {
    return toNetwork(this.#address);
  }

  /** The same caller, with the share that it has now. */
  renewed(): CallerId {
    const caller = new CallerId(this.name, this.#isAccepted, this.#address);
    caller.#key = this.#key;
    return caller;
  }
}

/** Of an IPv6 address the first half, because one client has all that begin with it; any other address as it is. */
export function toNetwork(address = ''): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [first = '', last] = address.split('::');
  const words = first.split(':');
  const after = last?.split(':') ?? [];
  const zeros = Array(Math.max(0, 8 - words.length - after.length)).fill('0');
  return [...words, ...zeros, ...after].slice(0, 4).join(':');
}

/** The names under which a caller takes places and turns. */
export interface ShareKey {
  readonly share: string;
  /** Several may have one name, and share what it gets in the same way, under these names; null: there is only one. */
  readonly subgroup: ShareKey | null;
}

/** Who has this name and this address, with the share that it has now; null: a caller without a token. */
export type CallerOf = (name: string | null, address?: string) => CallerId;
