import { toBaseAddress } from './address.ts';
import { ProbeError } from './errors.ts';

/** What the words after `probe` ask for. */
export interface ProbeWords {
  readonly url: string;
  readonly output: 'table' | 'env' | 'json';
}

const PROBE_USAGE =
  'messaging-graphql probe <base address> [--env | --json]: the token comes from MESSAGING_TOKEN or a prompt';

/** Reads the words; throws ProbeError. What is wrong is never repeated: it may be a token. */
export function readWords(words: readonly string[]): ProbeWords {
  const flags = words.filter((word) => word.startsWith('-'));
  const [address, ...extra] = words.filter((word) => !word.startsWith('-'));
  if (address === undefined) throw usage('It needs the base address of the service');
  if (extra.length > 0) throw usage('It takes one address and no token');
  if (flags.some((flag) => flag !== '--env' && flag !== '--json')) {
    throw usage('It knows no options but --env and --json');
  }
  if (new Set(flags).size > 1) throw usage('It takes --env or --json, not both');
  const output = flags[0] === undefined ? 'table' : flags[0] === '--env' ? 'env' : 'json';
  return { url: toBaseAddress(address), output };
}

const usage = (trouble: string): ProbeError =>
  new ProbeError(`${trouble}. Usage: ${PROBE_USAGE}`);
