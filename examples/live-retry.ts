/**
 * Waits before a live client connects again: 1 to 4 seconds at first, twice as long after each attempt that failed, and about
 * half a minute at the most. The libraries' own waits double without end. Chance keeps clients from coming back in one moment.
 */
export const waitToRetry = (retries: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, Math.min(2 ** retries, 30) * 1000 + Math.random() * 3000);
  });
