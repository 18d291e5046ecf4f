import { CallerId } from '../../src/callers/caller-id.ts';

/** A caller whose token the service has accepted. */
export const accepted = (token: string | null): CallerId =>
  new CallerId(token, () => true);

/** A caller whose token the service has never accepted. */
export const stranger = (token: string | null, address?: string): CallerId =>
  new CallerId(token, () => false, address);
