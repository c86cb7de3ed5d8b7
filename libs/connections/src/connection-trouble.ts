import { HistoryError, type ErrorCode } from '@antelope-history/schemas';
import { wrong, type Finding } from './check';

/** A server as messages about it name it. */
export interface ServerName {
  /** `Redis` */
  name: string;
  /** Where it was looked for, without user and password: `127.0.0.1:6379`. */
  address: string;
  /** The configuration keys that say where it is, who signed its certificate, and who we are to it. */
  keys: { url: string; caFile?: string; access?: string };
}

/** Why a server could not be spoken to. */
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
  /** What happened, and what to change; sentences without their full stop. */
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
 * Why a connection failed, by the codes of Node.js and OpenSSL that an error or what caused it carries; undefined when
 * it failed for another reason. The error's own text is not used: it may hold the URL with its password.
 */
export function describeConnectionTrouble(error: unknown, server: ServerName): ConnectionTrouble | undefined {
  const kind = codesOf(error)
    .map(kindOf)
    .find((found) => found !== undefined);
  return kind && describeTrouble(kind, server);
}

function kindOf(code: string): TroubleKind | undefined {
  // Node's parser of HTTP has a code for each thing that is not HTTP.
  return KINDS[code] ?? (code.startsWith('HPE_') ? 'other_server' : undefined);
}

/** The words for what went wrong with a server. */
export function describeTrouble(kind: TroubleKind, server: ServerName): ConnectionTrouble {
  return { kind, ...WORDS[kind](server) };
}

/** A server that could not be spoken to, for a reason that has words. */
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
 * The error of a connection that failed: `CERTIFICATE_REFUSED` (final) when it is for the server's certificate, else
 * `otherwise`. The cause is left out: what a client's error carries may hold the password.
 */
export function toConnectionError(error: unknown, server: ServerName, otherwise: ErrorCode): HistoryError {
  if (error instanceof HistoryError) return error;
  const trouble = describeConnectionTrouble(error, server);
  if (trouble) return new ConnectionError(trouble, otherwise);
  return new HistoryError(otherwise, `${server.name} at ${server.address} can not be used`);
}

/** What a check says of a connection that failed; throws anew what has no words. `prefix`: `redis`. */
export function toFinding(error: unknown, prefix: string): Finding {
  if (!(error instanceof ConnectionError)) throw error;
  const { kind, what, change } = error.trouble;
  return wrong(`${prefix}.${kind}`, what, change);
}

/** Where a URL points to, without its user, password and path: `127.0.0.1:6379`. */
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

const WORDS: Record<TroubleKind, (server: ServerName) => { what: string; change: string }> = {
  refused: ({ name, address, keys }) => ({
    what: `nothing listens at ${address}, where ${name} is to be`,
    change: `start it, or name its host and port in ${keys.url}`,
  }),
  unknown_host: ({ name, address, keys }) => ({
    what: `the host of ${address}, where ${name} is to be, has no address`,
    change: `see that its name in ${keys.url} is right and that this machine's name server knows it`,
  }),
  no_route: ({ name, address, keys }) => ({
    what: `there is no way through the network to ${address}, where ${name} is to be`,
    change: `see that ${keys.url} is right and that firewalls and routes let this machine through`,
  }),
  no_answer: ({ name, address, keys }) => ({
    what: `${name} at ${address} did not answer in time`,
    change: `see that it runs, that ${keys.url} is right (TLS or not, too) and that no firewall drops the connection`,
  }),
  cut_off: ({ name, address, keys }) => ({
    what: `${name} at ${address} cut the connection off`,
    change: `see its log; if it speaks TLS only, ${keys.url} takes the protocol with an s`,
  }),
  other_server: ({ name, address, keys }) => ({
    what: `what listens at ${address} is not ${name}`,
    change: `name its host and port in ${keys.url}`,
  }),
  no_tls: ({ name, address, keys }) => ({
    what: `what listens at ${address}, where ${name} is to be, does not speak TLS as we do`,
    change: `name its port with TLS in ${keys.url}, or the protocol without the s`,
  }),
  certificate_untrusted: ({ name, address, keys }) => ({
    what: `the certificate of ${name} at ${address} is signed by nobody who is trusted`,
    change: keys.caFile
      ? `name the PEM file of the authority that signed it in ${keys.caFile}`
      : "add the authority that signed it to this system's own",
  }),
  certificate_expired: ({ name, address }) => ({
    what: `the certificate of ${name} at ${address} has expired`,
    change: "renew it on the server, and see that this machine's clock is right",
  }),
  certificate_too_early: ({ name, address }) => ({
    what: `the certificate of ${name} at ${address} is not valid yet`,
    change: "see that this machine's clock is right, and the certificate's dates",
  }),
  certificate_wrong_host: ({ name, address, keys }) => ({
    what: `the certificate of ${name} at ${address} is for another host`,
    change: `name a host in ${keys.url} that the certificate has, or have it made for this one`,
  }),
  wrong_password: ({ name, address, keys }) => ({
    what: `${name} at ${address} refuses the user or the password`,
    change: `set ${keys.access ?? 'both'}`,
  }),
};

const MOST_ERRORS = 32;

/** The codes of an error, of those that it gathers (one per address of a host) and of their causes, nearest first. */
function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  const waiting = [error];
  for (let looked = 0; looked < MOST_ERRORS && waiting.length > 0; looked++) {
    const next = waiting.shift();
    if (typeof next !== 'object' || next === null) continue;
    const { code, cause, errors } = next as { code?: unknown; cause?: unknown; errors?: unknown };
    if (typeof code === 'string') codes.push(code);
    if (Array.isArray(errors)) waiting.push(...(errors as unknown[]));
    waiting.push(cause);
  }
  return codes;
}
