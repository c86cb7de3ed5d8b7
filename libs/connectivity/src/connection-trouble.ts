import { HistoryError, type ErrorCode } from '@antelope-history/schemas/errors';

/** How messages name a server. */
export interface ServerName {
  /** `Redis` */
  name: string;
  /** Host and port of the configured URL, without user and password: `127.0.0.1:6379`. */
  address: string;
  /** The configuration keys of the server's URL, of the CA certificate that signed its own, and of the user and password. */
  keys: { url: string; caFile?: string; access?: string };
}

/** Why a connection to a server failed. */
export type TroubleKind =
  | 'refused'
  | 'unknown_host'
  | 'no_route'
  | 'no_answer'
  | 'cut_off'
  | 'other_server'
  | 'no_tls'
  | 'certificate_untrusted'
  | 'certificate_expired'
  | 'certificate_too_early'
  | 'certificate_wrong_host'
  | 'wrong_password';

export interface ConnectionTrouble {
  kind: TroubleKind;
  /** What happened and what to change: sentences without their full stop. */
  what: string;
  change: string;
}

const KINDS: Record<string, TroubleKind> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'unknown_host',
  EAI_AGAIN: 'unknown_host',
  EHOSTUNREACH: 'no_route',
  ENETUNREACH: 'no_route',
  EADDRNOTAVAIL: 'no_route',
  ETIMEDOUT: 'no_answer',
  UND_ERR_CONNECT_TIMEOUT: 'no_answer',
  UND_ERR_HEADERS_TIMEOUT: 'no_answer',
  UND_ERR_BODY_TIMEOUT: 'no_answer',
  ECONNRESET: 'cut_off',
  EPIPE: 'cut_off',
  UND_ERR_SOCKET: 'cut_off',
  EPROTO: 'no_tls',
  ERR_SSL_WRONG_VERSION_NUMBER: 'no_tls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'no_tls',
  ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR: 'no_tls',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate_untrusted',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate_untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate_untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate_untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate_untrusted',
  CERT_SIGNATURE_FAILURE: 'certificate_untrusted',
  CERT_UNTRUSTED: 'certificate_untrusted',
  CERT_REJECTED: 'certificate_untrusted',
  CERT_REVOKED: 'certificate_untrusted',
  INVALID_CA: 'certificate_untrusted',
  INVALID_PURPOSE: 'certificate_untrusted',
  CERT_HAS_EXPIRED: 'certificate_expired',
  CERT_NOT_YET_VALID: 'certificate_too_early',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_wrong_host',
};

/**
 * Explains a failed connection by the Node.js and OpenSSL codes of an error and of its causes; undefined when no code is
 * known. The error's own text is not used: it may contain the URL with its password.
 */
export function describeConnectionTrouble(error: unknown, server: ServerName): ConnectionTrouble | undefined {
  const kind = codesOf(error)
    .map(kindOf)
    .find((found) => found !== undefined);
  return kind && describeTrouble(kind, server);
}

function kindOf(code: string): TroubleKind | undefined {
  // The HTTP parser of Node.js has a code with this prefix for each violation of the protocol.
  return KINDS[code] ?? (code.startsWith('HPE_') ? 'other_server' : undefined);
}

/** The message text for a kind of failure. */
export function describeTrouble(kind: TroubleKind, server: ServerName): ConnectionTrouble {
  return { kind, ...MESSAGES[kind](server) };
}

/** A connection that failed for a known reason; `otherwise` is its code unless the certificate or the access was refused. */
export class ConnectionError extends HistoryError {
  constructor(
    readonly trouble: ConnectionTrouble,
    otherwise: ErrorCode,
  ) {
    super(CODES[trouble.kind] ?? otherwise, `${trouble.what}: ${trouble.change}`);
  }
}

const CODES: Partial<Record<TroubleKind, ErrorCode>> = {
  certificate_untrusted: 'CERTIFICATE_REFUSED',
  certificate_expired: 'CERTIFICATE_REFUSED',
  certificate_too_early: 'CERTIFICATE_REFUSED',
  certificate_wrong_host: 'CERTIFICATE_REFUSED',
  wrong_password: 'ACCESS_REFUSED',
};

/**
 * The error for a failed connection: `CERTIFICATE_REFUSED` (final) when the server's certificate was rejected, else
 * `otherwise`. It has no cause: the client library's error may contain the password.
 */
export function toConnectionError(error: unknown, server: ServerName, otherwise: ErrorCode): HistoryError {
  if (error instanceof HistoryError) return error;
  const trouble = describeConnectionTrouble(error, server);
  if (trouble) return new ConnectionError(trouble, otherwise);
  return new HistoryError(otherwise, `${server.name} at ${server.address} cannot be used`);
}

/** The host to connect to: sockets take an IPv6 address without the brackets that it has in a URL. */
export function hostOf({ hostname }: { hostname: string }): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** Host and port of a URL, without its user, password and path: `127.0.0.1:6379`. */
export function addressOf(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || DEFAULT_PORTS[protocol]}`;
}

const DEFAULT_PORTS: Record<string, number> = {
  'http:': 80,
  'https:': 443,
  'ws:': 80,
  'wss:': 443,
  'amqp:': 5672,
  'amqps:': 5671,
  'redis:': 6379,
  'rediss:': 6379,
};

const MESSAGES: Record<TroubleKind, (server: ServerName) => { what: string; change: string }> = {
  refused: ({ name, address, keys }) => ({
    what: `nothing listens at ${address}, the configured address of ${name}`,
    change: `start ${name}, or set its host and port in ${keys.url}`,
  }),
  unknown_host: ({ name, address, keys }) => ({
    what: `the host name of ${address}, the configured address of ${name}, does not resolve`,
    change: `correct the host in ${keys.url}, or make it known to this machine's name server`,
  }),
  no_route: ({ name, address, keys }) => ({
    what: `there is no network route to ${address}, the configured address of ${name}`,
    change: `correct ${keys.url}, or let this machine through firewalls and routes`,
  }),
  no_answer: ({ name, address, keys }) => ({
    what: `${name} at ${address} did not answer in time`,
    change: `check that it runs, that ${keys.url} is right (with or without TLS) and that no firewall drops the connection`,
  }),
  cut_off: ({ name, address, keys }) => ({
    what: `${name} at ${address} closed the connection`,
    change: `see its log; if it requires TLS, ${keys.url} needs the TLS form of its protocol`,
  }),
  other_server: ({ name, address, keys }) => ({
    what: `the server at ${address} is not ${name}`,
    change: `set the host and port of ${name} in ${keys.url}`,
  }),
  no_tls: ({ name, address, keys }) => ({
    what: `the server at ${address}, the configured address of ${name}, does not complete a TLS handshake`,
    change: `set its TLS port in ${keys.url}, or the protocol without TLS`,
  }),
  certificate_untrusted: ({ name, address, keys }) => ({
    what: `the certificate of ${name} at ${address} is not signed by a trusted authority`,
    change: keys.caFile
      ? `set ${keys.caFile} to the PEM file of the authority that signed it`
      : "add the authority that signed it to this system's trusted certificates",
  }),
  certificate_expired: ({ name, address }) => ({
    what: `the certificate of ${name} at ${address} has expired`,
    change: "renew it on the server, and check this machine's clock",
  }),
  certificate_too_early: ({ name, address }) => ({
    what: `the certificate of ${name} at ${address} is not valid yet`,
    change: "check this machine's clock and the certificate's dates",
  }),
  certificate_wrong_host: ({ name, address, keys }) => ({
    what: `the certificate of ${name} at ${address} is for another host`,
    change: `set a host in ${keys.url} that the certificate names, or issue a certificate for this one`,
  }),
  wrong_password: ({ name, address, keys }) => ({
    what: `${name} at ${address} refuses the user or the password`,
    change: `set ${keys.access ?? 'both'}`,
  }),
};

/** Bounds the walk through causes, which may be circular. */
const MAX_ERRORS = 32;

/** The codes of an error, of its aggregated errors (one per address of a host) and of their causes, nearest first. */
function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  const waiting = [error];
  for (let visited = 0; visited < MAX_ERRORS && waiting.length > 0; visited++) {
    const next = waiting.shift();
    if (typeof next !== 'object' || next === null) continue;
    const { code, cause, errors } = next as { code?: unknown; cause?: unknown; errors?: unknown };
    if (typeof code === 'string') codes.push(code);
    if (Array.isArray(errors)) waiting.push(...(errors as unknown[]));
    waiting.push(cause);
  }
  return codes;
}
