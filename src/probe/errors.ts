/** Probing this address with this token is pointless; the text says what to mend. */
export class ProbeError extends Error {
  override readonly name = 'ProbeError';
}

/** The probe must end early; what it has found so far stands. The text is a reason, without a full stop. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}
