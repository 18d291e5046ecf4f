import { type CallerId, type CallerOf, STRANGERS } from '../callers/caller-id.ts';

export type Incoming = ReturnType<typeof createIncoming>;

/** Who sends. It is read again when its account begins to hold something: its token may have been accepted meanwhile. */
export interface Sender {
  readonly name: string | null;
  /** Of the other end of its connection. */
  readonly address: string | undefined;
}

/** The bytes that one body or message takes. */
export interface IncomingAccount {
  /** Counts it as this much from now on. False: there is no room for it, and it counts as nothing. Unit: bytes. */
  hold(bytes: number): boolean;
  /** It is an operation now, or gone. */
  end(): void;
}

/** One caller, or the strangers of one network. */
interface SenderGroup {
  readonly key: string;
  readonly caller: CallerId;
  bytes: number;
  /** The oldest first. */
  readonly entries: Set<IncomingEntry>;
}

interface IncomingEntry extends IncomingAccount {
  bytes: number;
  group: SenderGroup | null;
  /** On the clock of `performance.now()`. Unit: milliseconds. */
  began: number;
  readonly giveUp: () => void;
}

/** What has not come whole after this time is slow. Unit: milliseconds. */
const SLOW_MS = 1000;

/**
 * Bounds what has come in and is no operation yet: unfinished bodies and messages, and those that wait. At the bound, the
 * sender with the most bytes loses an entry; a sender with an accepted token only when no stranger holds any. It loses the
 * oldest entry that is at least as large as its average, so that short requests do not pay for long ones. Exception: if the new
 * entry is one of these, and the oldest is not a second old, the new one is refused: a burst must not push out its own entries
 * after they cost time to read. `most`: of all senders together. Unit: bytes.
 */
export function createIncoming(callerOf: CallerOf, most: number) {
  /** Only of senders that hold something. */
  const groups = new Map<string, SenderGroup>();
  let total = 0;

  function join({ name, address }: Sender, entry: IncomingEntry): SenderGroup {
    const caller = callerOf(name, address);
    const key = isKnown(caller) ? `token ${caller.share}` : caller.network;
    const group = groups.get(key) ?? { key, caller, bytes: 0, entries: new Set() };
    groups.set(key, group);
    group.entries.add(entry);
    entry.began = performance.now();
    return group;
  }

  function count(entry: IncomingEntry, group: SenderGroup, bytes: number): void {
    const change = bytes - entry.bytes;
    entry.bytes += change;
    group.bytes += change;
    total += change;
  }

  function leave(entry: IncomingEntry): void {
    const { group } = entry;
    if (group === null) return;
    count(entry, group, 0);
    entry.group = null;
    group.entries.delete(entry);
    if (group.entries.size === 0) groups.delete(group.key);
  }

  /** Gives up as much as is too much; returns whether the one that needs it is still held. */
  function makeRoom(needy: IncomingEntry): boolean {
    while (total > most) {
      const worst = [...groups.values()].reduce(worse);
      const holdsMuch = ({ group, bytes }: IncomingEntry) =>
        group === worst && bytes * worst.entries.size >= worst.bytes;
      const oldest = worst.entries.values().find(holdsMuch) ?? needy;
      const isSlow = performance.now() - oldest.began >= SLOW_MS;
      const first = holdsMuch(needy) && !isSlow ? needy : oldest;
      leave(first);
      if (first === needy) return false;
      first.giveUp();
    }
    return true;
  }

  return {
    /** Opens the account of one of them. `giveUp` runs when its room is needed for others. */
    open(sender: Sender, giveUp: () => void): IncomingAccount {
      const entry: IncomingEntry = {
        bytes: 0,
        group: null,
        began: 0,
        giveUp,
        hold(bytes) {
          if (bytes === 0) leave(entry);
          if (bytes === entry.bytes) return true;
          entry.group ??= join(sender, entry);
          count(entry, entry.group, bytes);
          return makeRoom(entry);
        },
        end: () => leave(entry),
      };
      return entry;
    },
  };
}

const isKnown = ({ share }: CallerId): boolean => share !== STRANGERS;

function worse(one: SenderGroup, other: SenderGroup): SenderGroup {
  if (isKnown(one.caller) !== isKnown(other.caller))
    return isKnown(one.caller) ? other : one;
  return other.bytes > one.bytes ? other : one;
}
