import { type RestError, RestNetworkError } from '../rest/errors.ts';
import {
  codeOf,
  NETWORK_CAUSES,
  type NetworkCause,
  toNetworkCause,
} from '../rest/network-cause.ts';
import { type Finding, unfit } from './finding.ts';

/** What to change, by the cause. */
const CHANGES: Readonly<Record<NetworkCause, string>> = {
  refused:
    'Start the service, or correct the host and the port in MESSAGING_URL: nothing accepts connections there.',
  unknownHost:
    'Correct the host in MESSAGING_URL, or make its name known to this machine.',
  noLookup: 'Check the name server of this machine, then try again.',
  noRoute: 'Correct the host in MESSAGING_URL, or connect this machine to its network.',
  tooSlow:
    'Correct the host and the port in MESSAGING_URL, and check that no firewall drops connections. REST_TIMEOUT_MS allows more time.',
  selfSigned:
    'Give the service a certificate of a known authority. Or trust this one: set NODE_EXTRA_CA_CERTS to its file in the environment, because Node does not read that from .env.',
  expired: 'Renew the certificate of the service, and check the clock of this machine.',
  notYetValid: 'Check the clock of this machine, and the certificate of the service.',
  otherHost: 'Set MESSAGING_URL to a host that the certificate names.',
  unknownAuthority:
    "Set NODE_EXTRA_CA_CERTS to the file of the authority's certificate in the environment, because Node does not read that from .env. Or let the service send its whole chain of certificates.",
  notTls: 'Check the scheme and the port in MESSAGING_URL.',
  tlsFailed:
    'Check the port in MESSAGING_URL, and which versions of TLS and which certificates the service demands.',
  notHttp: 'Check the port in MESSAGING_URL: another kind of service listens there.',
  closed:
    'Check the scheme and the port in MESSAGING_URL, and why the service closes connections.',
};

/** Why a call got no answer that could be read. `timeoutMs`: the longest time of a call. */
export function explainNoAnswer(error: RestError | null, timeoutMs: number): Finding {
  if (!(error instanceof RestNetworkError)) {
    return unfit(
      'service',
      `its answer cannot be read: ${error?.message ?? 'there was none'}`,
      'Check that MESSAGING_URL is the address of the service. MAX_RESPONSE_BYTES allows longer answers.',
    );
  }
  if (error.kind === 'timeout') {
    return error.mayHaveLeft
      ? unfit(
          'service',
          `it accepts connections, but did not answer within ${timeoutMs} ms (REST_TIMEOUT_MS)`,
          'Find out why the service hangs, or raise REST_TIMEOUT_MS.',
        )
      : unfit(
          'service',
          `no connection was made within ${timeoutMs} ms (REST_TIMEOUT_MS)`,
          CHANGES.tooSlow,
        );
  }
  const cause = toNetworkCause(error.cause);
  if (cause !== null) return unfit('service', NETWORK_CAUSES[cause], CHANGES[cause]);
  return unfit(
    'service',
    `there was no connection, or it broke (${codeOf(error.cause) ?? 'no known cause'})`,
    'Check MESSAGING_URL, that the service runs, and that this machine can reach it.',
  );
}
