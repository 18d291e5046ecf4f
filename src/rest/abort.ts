/** The reason of an abort when the answer is sent, or the client has left. Created once, because an error has a stack. */
export const IS_OVER = new DOMException('The operation is over.', 'AbortError');

/** The reason of an abort when the operation's time is up: a slow service is responsible for that. */
export const timeIsUp = () =>
  new DOMException('The operation took too long.', 'TimeoutError');

/** Whether an operation was aborted because its client has left. */
export const hasLeft = ({ aborted, reason }: AbortSignal): boolean =>
  aborted && !(reason instanceof Error && reason.name === 'TimeoutError');
