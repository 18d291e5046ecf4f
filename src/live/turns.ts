/** Limits how many looks run at once: a thousand tokens may have to look at the same moment, and other calls need connections. */
export interface LookTurns {
  /** Runs a look when fewer than the limit run; in the order of the calls. */
  run<T>(look: () => Promise<T>): Promise<T>;
}

export function createLookTurns(most: number): LookTurns {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    async run(look) {
      if (running >= most) await new Promise<void>((begin) => waiting.push(begin));
      else running += 1;
      try {
        return await look();
      } finally {
        // The place goes to the next one, and stays taken.
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
}
