import type { z } from 'zod';
import type { ClientErrorCode } from './errors';

/** The API app that serves a route. */
export type RouteGroup = 'history' | 'chain' | 'trace';

/**
 * An endpoint as a value. The API apps, the gateway, the OpenAPI document, `docs/api.md` and the tools derive from it what
 * they need to know of an endpoint.
 */
export interface Route<Request extends z.ZodObject = z.ZodObject, Response extends z.ZodType = z.ZodType> {
  group: RouteGroup;
  /** Name of the endpoint in the node's API; error bodies carry it in `method` of their details. */
  endpoint: string;
  /** Clients get 405 for every other method. GET is for endpoints that need no body; it includes HEAD. */
  method: 'POST' | readonly ['GET', 'POST'];
  path: string;
  request: Request;
  /**
   * Fields of other interfaces that would change what a request means, each with what to write instead, e.g.
   * `{ limit: 'write offset' }`. They are refused, as near misses of the request's own fields are.
   */
  refusedFields?: Readonly<Record<string, string>>;
  /**
   * Whether fields of the request with a dot in their names, such as `transfer.to`, filter by action data. The endpoint then gets
   * them as they were sent.
   */
  filtersData?: true;
  response: Response;
  /** Errors of this endpoint alone; those that every endpoint can send are not listed. */
  errors: readonly ClientErrorCode[];
  /**
   * Whether a response can become final: it then carries `etag` and `cache-control`, and the response cache may keep it.
   * Responses of other routes are neither hashed nor cached.
   */
  cacheable: boolean;
  /** One line without a full stop. */
  summary: string;
  /** What the schemas do not say, as Markdown. */
  description: string;
  /** From the fully indexed sample chain `leap-edge`; apps/e2e compares it with the running service. */
  example: { request: Readonly<Record<string, unknown>>; response: unknown };
}

/** Routes by the key that names them in code and as OpenAPI `operationId`. */
export type RouteTable = Readonly<Record<string, Route>>;

/** A request as `parseRequest` returns it. */
export type RequestOf<R extends Route> = z.output<R['request']>;
export type ResponseOf<R extends Route> = z.output<R['response']>;

/** Checks a route definition and keeps the types of its two schemas. */
export function defineRoute<Request extends z.ZodObject, Response extends z.ZodType>(
  route: Route<Request, Response>,
): Route<Request, Response> {
  return route;
}
