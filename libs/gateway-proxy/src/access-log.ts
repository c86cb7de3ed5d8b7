import { openSync } from 'node:fs';
import type { RequestHandler, Response } from 'express';
import morgan, { type TokenIndexer } from 'morgan';
import {
  ClientAddresses,
  type Config,
  isWebSocketHandshake,
  type ObserveRefusal,
  openLogOutput,
  refusedStatusOf,
  requestIdOf,
} from '@antelope-history/app-runtime';
import { HistoryError } from '@antelope-history/schemas';
import { keyNameOf } from './client';

type Tokens = TokenIndexer<Parameters<RequestHandler>[0], Response>;

/** The URL and the user agent of a request are cut to this many characters. */
const MAX_TEXT = 1024;

export interface AccessLog {
  /** Writes a line per request when its response ends. */
  observe: RequestHandler;
  /** Writes a line for what is refused before it is a request. */
  observeRefusal: ObserveRefusal;
}

/**
 * The access log; undefined when `gateway.access_log` is `off`. Bodies and keys are never written. Throws `CONFIG_INVALID` when the file
 * cannot be opened.
 */
export function createAccessLog({ gateway }: Pick<Config, 'gateway'>): AccessLog | undefined {
  const { accessLog, accessLogFile, trustedProxies } = gateway;
  if (accessLog === 'off') return undefined;
  const output = openOutput(accessLogFile);
  const addresses = new ClientAddresses(trustedProxies);
  const format = accessLog === 'json' ? jsonLine : commonLine;
  return {
    observe: morgan<Parameters<RequestHandler>[0], Response>(
      (tokens, request, response) => format(readFacts(tokens, request, response, addresses.of(request))),
      { stream: { write: (line) => output.write(line) } },
    ),
    observeRefusal: (address, status) => {
      output.write(`${format({ time: new Date().toISOString(), address, status })}\n`);
    },
  };
}

interface RequestFacts {
  time: string;
  address: string;
  requestId?: string;
  key?: string | undefined;
  /** Undefined for what is no request. */
  method?: string;
  url?: string;
  httpVersion?: string;
  /** Undefined when the connection ended before the response. */
  status: number | undefined;
  /** Of the body; undefined when its length was not known before it was sent. */
  bytes?: number | undefined;
  seconds?: number | undefined;
  userAgent?: string | undefined;
}

function readFacts(
  tokens: Tokens,
  request: Parameters<RequestHandler>[0],
  response: Response,
  address: string,
): RequestFacts {
  const of = (name: string, ...args: string[]): string | undefined => tokens[name]?.(request, response, ...args);
  const milliseconds = of('total-time');
  return {
    time: new Date().toISOString(),
    requestId: requestIdOf(response),
    address,
    key: keyNameOf(response),
    method: request.method,
    url: request.originalUrl.slice(0, MAX_TEXT),
    httpVersion: request.httpVersion,
    // Responses to a WebSocket handshake and to an invalid body are written directly to the socket: `response` then has no status that
    // was sent.
    status: numberOf(of('status')) ?? refusedStatusOf(response) ?? (isWebSocketHandshake(request) ? 101 : undefined),
    bytes: numberOf(of('res', 'content-length')),
    seconds: milliseconds === undefined ? undefined : Number(milliseconds) / 1000,
    userAgent: request.headers['user-agent']?.slice(0, MAX_TEXT),
  };
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
}

function jsonLine({ requestId, httpVersion, userAgent, ...facts }: RequestFacts): string {
  return JSON.stringify({ ...facts, request_id: requestId, http_version: httpVersion, user_agent: userAgent });
}

/** The Common Log Format of NCSA and Apache, in UTC. */
function commonLine({ time, address, key, method, url, httpVersion, status, bytes }: RequestFacts): string {
  const request = method === undefined ? '-' : escaped(`${method} ${url} HTTP/${httpVersion}`);
  return `${address} - ${key === undefined ? '-' : escaped(key)} [${commonTime(time)}] "${request}" ${status ?? '-'} ${bytes ?? '-'}`;
}

/** Escapes text of a client as Apache does, so that no quote ends the field and no character is invisible. */
function escaped(text: string): string {
  return text.replace(/[^\x20-\x7e]|["\\]/g, (character) =>
    character === '"' || character === '\\'
      ? `\\${character}`
      : `\\x${(character.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}`,
  );
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function commonTime(iso: string): string {
  const [, year, month, day, time] = /^(\d+)-(\d+)-(\d+)T([\d:]+)/.exec(iso) ?? [];
  return `${day}/${MONTHS[Number(month) - 1]}/${year}:${time} +0000`;
}

function openOutput(file: string | undefined): ReturnType<typeof openLogOutput> {
  if (file === undefined) return openLogOutput(process.stdout.fd);
  try {
    return openLogOutput(openSync(file, 'a'));
  } catch (cause) {
    throw new HistoryError('CONFIG_INVALID', `gateway.access_log_file: ${file} cannot be written`, { cause });
  }
}
