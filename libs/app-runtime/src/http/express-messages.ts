import type { Express, Request, Response } from 'express';
import { type IncomingMessage, ServerResponse } from 'node:http';
import { BoundedRequest } from './bounded-request';

/** The classes that a server of node:http takes for its requests and responses. */
export interface MessageClasses {
  IncomingMessage: typeof BoundedRequest;
  ServerResponse: typeof ServerResponse;
}

/**
 * Creates classes whose instances have the methods of Express from the start. Express changes the prototype of each request and
 * response when it gets them (express/lib/application.js, handle). V8 then has a hidden class for them that its optimised code
 * for node:http was not made for, and looks up their properties without a cache: half of the processor time of a request to the gateway.
 */
export function createMessageClasses(app: Express): MessageClasses {
  class ExpressRequest extends BoundedRequest {}
  class ExpressResponse<Incoming extends IncomingMessage> extends ServerResponse<Incoming> {}
  for (const [{ prototype }, methods] of [
    [ExpressRequest, app.request],
    [ExpressResponse, app.response],
  ] as const) {
    Object.defineProperties(prototype, Object.getOwnPropertyDescriptors(Object.getPrototypeOf(methods) as object));
    Object.defineProperties(prototype, Object.getOwnPropertyDescriptors(methods));
  }
  // Express sets these prototypes when it handles a request: with its own, the message would no longer be of its class.
  app.request = ExpressRequest.prototype as unknown as Request;
  app.response = ExpressResponse.prototype as unknown as Response;
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}

/**
 * Prepares a request and its response for handlers of Express, as Express does. Messages of another server than that of `listen`
 * get the prototypes of Express here.
 */
export function enterExpress(
  app: Express,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): { request: Request; response: Response } {
  const request = ('app' in incoming ? incoming : Object.setPrototypeOf(incoming, app.request as object)) as Request;
  const response = ('app' in outgoing ? outgoing : Object.setPrototypeOf(outgoing, app.response as object)) as Response;
  request.res = response;
  response.req = request;
  request.originalUrl ||= request.url;
  response.locals = Object.create(null) as Response['locals'];
  return { request, response };
}
