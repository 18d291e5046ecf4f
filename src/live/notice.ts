import { isObject } from '../rest/decode.ts';

/** An object that a write through this gateway touched. Its id alone: each watch reads with the token of its own subscribers. */
export interface Touch {
  /** The name of its type in the schema. */
  readonly type: string;
  /** Null if it is not known. */
  readonly id: string | null;
  /** `within`: something that belongs to the object was written, and its own fields may not show it. */
  readonly kind: 'created' | 'changed' | 'within';
}

/** What one write touched, on its way to the watches. */
export interface Notice {
  readonly touches: readonly Touch[];
  /** Names who wrote, so that watches can take turns: a key of the token that says nothing outside its process. */
  readonly writer: string;
}

type Listener = (notice: Notice) => void;

/**
 * Carries notices to all watches: those of this process and, over carriers, those of other workers and replicas. A notice
 * may be lost: the next poll sees the change then.
 */
export interface ChangeBus {
  publish(notice: Notice): void;
  /** Hears every notice, also those that this process published. */
  listen(listener: Listener): void;
  /** Whether other processes may hear it. */
  readonly reachesOthers: boolean;
}

/** A way to other processes. They may run another version, so what it brings may be anything. */
export interface Carrier {
  send(notice: Notice): void;
  listen(listener: (received: unknown) => void): void;
}

export function createBus(carriers: readonly Carrier[] = []): ChangeBus {
  const listeners: Listener[] = [];
  const hear = (notice: Notice) => {
    for (const listener of listeners) listener(notice);
  };
  for (const carrier of carriers) {
    carrier.listen((received) => {
      if (isNotice(received)) hear(received);
    });
  }
  return {
    publish(notice) {
      hear(notice);
      for (const carrier of carriers) carrier.send(notice);
    },
    listen: (listener) => listeners.push(listener),
    reachesOthers: carriers.length > 0,
  };
}

const isNotice = (value: unknown): value is Notice =>
  isObject(value) &&
  typeof value.writer === 'string' &&
  Array.isArray(value.touches) &&
  value.touches.every(isTouch);

const isTouch = (value: unknown): boolean =>
  isObject(value) &&
  typeof value.type === 'string' &&
  typeof value.kind === 'string' &&
  (typeof value.id === 'string' || value.id === null);
