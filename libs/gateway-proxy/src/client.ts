import type { Request, RequestHandler, Response } from 'express';
import { HistoryError } from '@antelope-history/schemas';
import { ClientAddresses, clientKeyOf, type Config } from '@antelope-history/app-runtime';
import type { ApiKey, FindApiKey } from './api-keys';

/** The sender of a request and its limits. */
export interface Client {
  /** The key of the rate limits: an address, or the name of an API key. */
  id: string;
  keyName?: string;
  /** 0 = no limit. */
  requestsPerMinute: number;
  /** 0 = no limit. */
  costPerMinute: number;
  /**
   * Whether the response shows its cost: only to a trusted proxy, which may be a gateway that adds up the costs of several
   * chains.
   */
  tellsCost: boolean;
  /** The error with which requests to endpoints are refused; undefined when the client has access. */
  refusal?: HistoryError;
}

const HOW = 'send a key that the operator gave you as `x-api-key` or as `Authorization: Bearer`';
const BEARER = /^bearer +(\S+)$/i;
/** Browsers can send no header with a WebSocket handshake but this list. A key in the URL would be in the logs of proxies. */
const PROTOCOLS = 'sec-websocket-protocol';
const KEY_PROTOCOL = 'key.';

/** Identifies the client by its API key where keys are configured, otherwise by its address. */
export function identifyClient(
  { api, gateway }: Pick<Config, 'api' | 'gateway'>,
  findKey: FindApiKey | undefined,
): RequestHandler {
  const addresses = new ClientAddresses(gateway.trustedProxies);
  const limits = { requestsPerMinute: api.rateLimitRpm, costPerMinute: api.rateLimitCostPerMinute };
  const missing = new HistoryError('UNAUTHORIZED', HOW);

  async function byKey(key: string, anyone: Client, find: FindApiKey): Promise<Client> {
    const found = await find(key, anyone);
    if (found === 'unknown') return { ...anyone, refusal: new HistoryError('UNAUTHORIZED', `unknown key: ${HOW}`) };
    if (found === 'unavailable')
      return { ...anyone, refusal: new HistoryError('UNAVAILABLE', 'API keys cannot be read') };
    if (found === 'limited') return { ...anyone, refusal: new HistoryError('RATE_LIMITED', 'send fewer unknown keys') };
    return { ...anyone, ...limitsOfKey(found) };
  }

  return (request, response, next) => {
    const tellsCost = addresses.isFromProxy(request);
    const anyone: Client = { id: clientKeyOf(addresses.of(request)), tellsCost, ...limits };
    const protocolKey = takeProtocolKey(request);
    const key = findKey && (keyOf(request) ?? protocolKey);
    const go = (client: Client): void => {
      response.locals['client'] = client;
      next();
    };
    if (findKey && key !== undefined) return byKey(key, anyone, findKey).then(go);
    // No key has to be looked up, so `next` is called at once, without a promise.
    go({ ...anyone, ...(gateway.requireApiKey && { refusal: missing }) });
    return undefined;
  };
}

/** Refuses clients that have no API key where one is required, or a wrong one. */
export const requireAccess: RequestHandler = (_request, response, next) => {
  const { refusal } = clientOf(response);
  if (refusal?.code === 'UNAUTHORIZED') response.setHeader('www-authenticate', 'Bearer');
  next(refusal);
};

/** The client that `identifyClient` found. */
export function clientOf(response: Response): Client {
  return response.locals['client'] as Client;
}

/** The name that the operator gave the client's API key; undefined without one, and before the client is identified. */
export function keyNameOf(response: Response): string | undefined {
  return (response.locals['client'] as Client | undefined)?.keyName;
}

function keyOf(request: Request): string | undefined {
  return request.get('x-api-key') ?? BEARER.exec(request.get('authorization') ?? '')?.[1];
}

/** The key among the protocols that a WebSocket handshake offers. It is removed from them: a server names the one that it takes. */
function takeProtocolKey({ headers }: Request): string | undefined {
  const offered = headers[PROTOCOLS];
  if (!offered?.includes(KEY_PROTOCOL)) return undefined;
  const names = offered.split(',').map((name) => name.trim());
  const others = names.filter((name) => !name.startsWith(KEY_PROTOCOL));
  headers[PROTOCOLS] = others.length > 0 ? others.join(', ') : undefined;
  return names.find((name) => name.startsWith(KEY_PROTOCOL))?.slice(KEY_PROTOCOL.length);
}

function limitsOfKey({ name, requests_per_minute, cost_per_minute }: ApiKey): Partial<Client> {
  return { id: `key:${name}`, keyName: name, requestsPerMinute: requests_per_minute, costPerMinute: cost_per_minute };
}
