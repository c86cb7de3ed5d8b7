import type { AddressInfo } from 'node:net';
import express from 'express';

/** What the process is told to send. */
export interface BareExpressData {
  path: string;
  /** The response to each request body. */
  responses: [request: string, response: Uint8Array][];
}

/** An Express app in a process of its own that reads the same requests and sends the same bytes from memory: the limit. */
function serve({ path, responses }: BareExpressData): void {
  const bodies = new Map(responses.map(([request, response]) => [request, Buffer.from(response)]));
  const app = express();
  app.post(path, express.raw({ type: () => true }), (request, response) => {
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end(bodies.get((request.body as Buffer).toString()));
  });
  const server = app.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  process.once('disconnect', () => {
    server.close();
    server.closeAllConnections();
  });
}

process.once('message', (data) => serve(data as BareExpressData));
