import { parseBaseAddress } from '../rest/address.ts';
import { ProbeError } from './errors.ts';

/** Throws a ProbeError that never repeats the address: it may be a misplaced token, or contain a password. */
export function toBaseAddress(text: string): string {
  const address = parseBaseAddress(text);
  if (address === null) {
    throw new ProbeError(
      'The base address must be an http or https address without credentials, query or fragment, such as https://messaging.example.',
    );
  }
  if (!address.hasVersion) return address.url;
  throw new ProbeError(
    'Give the base address without "/v1" at its end: the probe adds it.',
  );
}
