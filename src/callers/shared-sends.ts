/** What all replicas know of the keys of callers. `caller`: its name. */
export interface SharedSends {
  /** Waits until no other replica sends under this key, or it is known what became of it; null if that cannot be known. */
  takeTurn(
    caller: string,
    send: { readonly key: string; readonly content: string },
    signal: { readonly aborted: boolean },
  ): Promise<SharedTurn | null>;
  /** As `SentOnce.keyOf`. */
  keyOf(caller: string, id: string): Promise<string | null>;
}

export interface SharedTurn {
  /** False: the signal was aborted while it waited, or no turn is needed, because it is known already what was sent. */
  readonly isOwn: boolean;
  /** What replicas have sent under the key before; null: nothing. */
  readonly before: {
    /** Whether it was the same content. */
    readonly isSame: boolean;
    /** Null: it is not known whether it has arrived. */
    readonly sentId: string | null;
    /** When the first of them began. */
    readonly agoMs: number;
  } | null;
  /** Ends the turn; `sentId`: null if nothing was sent, undefined if that is not known. */
  end(sentId: string | null | undefined): void;
}
