import { hash, randomBytes } from 'node:crypto';

/** New in each process, so that a key says nothing about its token outside the process. */
const SALT = randomBytes(16).toString('base64');
/** The share of all callers whose tokens the service has not accepted. No token is empty. */
export const STRANGERS = '';

/**
 * Who takes places, bytes and turns. Callers whose tokens the service has not accepted are strangers: anybody can make up
 * tokens by the thousand, so together they get what one caller gets. What follows from the token is computed once, when it
 * is needed.
 */
export class CallerId {
  /** Empty if there is none. */
  readonly token: string;
  readonly #isAccepted: (key: string) => boolean;
  #key: string | null = null;
  #share: string | null = null;

  constructor(token: string | null, isAccepted: (key: string) => boolean) {
    this.token = token ?? '';
    this.#isAccepted = isAccepted;
  }

  /** A short text that is equal for equal tokens. What is kept for a caller after its calls is kept under this key. */
  get key(): string {
    this.#key ??= hash('sha256', SALT + this.token, 'base64');
    return this.#key;
  }

  /** Whether its token was accepted before now. */
  get isAccepted(): boolean {
    return this.token !== '' && this.#isAccepted(this.key);
  }

  /**
   * The name under which it takes its share: its token, or that of all strangers. It never changes, so that everything is
   * given back under the name under which it was taken.
   */
  get share(): string {
    this.#share ??= this.isAccepted ? this.token : STRANGERS;
    return this.#share;
  }

  /** The same caller, with the share that it has now. */
  renewed(): CallerId {
    const caller = new CallerId(this.token, this.#isAccepted);
    caller.#key = this.#key;
    return caller;
  }
}

/** The names under which a caller takes places and turns. */
export type Sharer = Pick<CallerId, 'share' | 'token'>;

/** Who sends this token, with the share that it has now; null: a caller without one. */
export type CallerOf = (token: string | null) => CallerId;
