import type { ServerResponse } from 'node:http';

const refused = new WeakSet<ServerResponse>();

/** Notes that the server has refused the rest of a request, with a response that it wrote to the socket instead of this one. */
export function setRefusal(response: ServerResponse, status: number): void {
  refused.add(response);
  // What observes the request counts this status.
  response.statusCode = status;
}

/** The status with which the server refused the body of a request; undefined where it refused none. */
export function refusedStatusOf(response: ServerResponse): number | undefined {
  return refused.has(response) ? response.statusCode : undefined;
}
