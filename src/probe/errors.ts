/** The probe cannot work with this address or token; the message says what to change. */
export class ProbeError extends Error {
  override readonly name = 'ProbeError';
}

/** The probe must end early and report what it has found. The message is the reason, without a period. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}
