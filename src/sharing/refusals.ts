import type { Logger } from 'pino';

/** The commands that Redis answers with an error: it wants a password, its memory is full, or it is a replica. */
export interface Refusals {
  /** Notes how Redis answered a command; `cause` is its error, null: it accepted the command. */
  note(command: string, cause: string | null): void;
  areThere(): boolean;
}

/** Logs each cause once, until all commands are accepted again. */
export function createRefusals(log: Logger): Refusals {
  const causes = new Map<string, string>();
  return {
    note(command, cause) {
      if (cause !== null) {
        if (![...causes.values()].includes(cause)) log.warn({ command, cause }, REFUSED);
        causes.set(command, cause);
      } else if (causes.delete(command) && causes.size === 0) log.info(ACCEPTED);
    },
    areThere: () => causes.size > 0,
  };
}

const REFUSED = 'Redis refuses a command: less is shared over it';
const ACCEPTED = 'Redis accepts all commands again';
