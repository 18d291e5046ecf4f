/** Why there was no connection to the service, or no answer that could be read, in words that name no address. */
export const NETWORK_CAUSES = {
  refused: 'the connection was refused',
  unknownHost: "the service's host name is unknown (DNS)",
  noLookup: "the service's host name could not be looked up (DNS)",
  noRoute: 'there is no route to the service',
  tooSlow: 'no connection was made in time',
  selfSigned: "the service's certificate is self-signed; REST_CA can name its file",
  expired: "the service's certificate has expired",
  notYetValid: "the service's certificate is not valid yet",
  otherHost: "the service's certificate is for another host",
  unknownAuthority:
    "the service's certificate is from an authority that is not trusted: REST_CA may name it",
  notTls: 'the service does not speak TLS, which https needs',
  tlsFailed: 'the TLS handshake failed',
  notHttp: 'the answer was not valid HTTP',
  headTooLong: 'the headers of the answer were too long',
  closed: 'the connection was closed',
  noProxy: 'the proxy of REST_PROXY could not be reached',
  refusedByProxy: 'the proxy of REST_PROXY let no connection through',
} as const;

export type NetworkCause = keyof typeof NETWORK_CAUSES;

const BY_CODE: Readonly<Record<string, NetworkCause>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'unknownHost',
  EAI_AGAIN: 'noLookup',
  EAI_FAIL: 'noLookup',
  EHOSTUNREACH: 'noRoute',
  ENETUNREACH: 'noRoute',
  ETIMEDOUT: 'tooSlow',
  UND_ERR_CONNECT_TIMEOUT: 'tooSlow',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'selfSigned',
  SELF_SIGNED_CERT_IN_CHAIN: 'unknownAuthority',
  UNABLE_TO_GET_ISSUER_CERT: 'unknownAuthority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unknownAuthority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unknownAuthority',
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'notYetValid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'otherHost',
  ERR_SSL_WRONG_VERSION_NUMBER: 'notTls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'notTls',
  EPROTO: 'tlsFailed',
  ECONNRESET: 'closed',
  EPIPE: 'closed',
  UND_ERR_SOCKET: 'closed',
  UND_ERR_PRX_CONN: 'noProxy',
  UND_ERR_PRX_TLS: 'noProxy',
  UND_ERR_HEADERS_OVERFLOW: 'headTooLong',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'notHttp',
};

/** The cause of a connection's error; null if it is not one of the known ones. */
export function toNetworkCause(error: unknown): NetworkCause | null {
  // undici gives this error a code only at times.
  if (error instanceof Error && error.name === 'HTTPParserError') return 'notHttp';
  const code = codeOf(error);
  if (code === null) return null;
  // Undici's error for an answer of the proxy has the code of other errors, too.
  if (/: Proxy .*\d{3}/.test(String(error))) return 'refusedByProxy';
  // Every other trouble of the handshake, such as a version that only one side speaks.
  return BY_CODE[code] ?? (code.startsWith('ERR_SSL_') ? 'tlsFailed' : null);
}

/** Whether the service answered something that cannot be read as HTTP. */
export const isMalformed = (error: Error): boolean =>
  ['notHttp', 'headTooLong'].includes(toNetworkCause(error) ?? '');

/** Whether this is how undici reports a body that broke off. Before the head is complete, the same code is for a malformed head. */
export const isBrokenOff = (error: Error): boolean =>
  error.message.includes('Invalid EOF state') ||
  codeOf(error) === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';

/** The code of a system error, such as ECONNREFUSED; if undici's parser has none, its words for what is malformed. */
export function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.name === 'HTTPParserError' ? error.message : null;
}
