import { createServer, type RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import express from 'express';

/** What the process is told to send. */
export interface BareServerData {
  framework: 'express' | 'none';
  path: string;
  /** The response to each request body. */
  responses: [request: string, response: Uint8Array][];
}

type BodyOf = (request: Buffer) => Buffer | undefined;

/** A server in a process of its own that reads the same requests and sends the same bytes from memory: the limit. */
function serve({ framework, path, responses }: BareServerData): void {
  const bodies = new Map(responses.map(([request, response]) => [request, Buffer.from(response)]));
  const bodyOf: BodyOf = (request) => bodies.get(request.toString());
  const server = createServer(framework === 'express' ? expressApp(path, bodyOf) : listener(bodyOf));
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  process.once('disconnect', () => {
    server.close();
    server.closeAllConnections();
  });
}

function expressApp(path: string, bodyOf: BodyOf): RequestListener {
  const app = express();
  app.post(path, express.raw({ type: () => true }), (request, response) => {
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end(bodyOf(request.body as Buffer));
  });
  return app;
}

function listener(bodyOf: BodyOf): RequestListener {
  return (request, response) => {
    void buffer(request).then((body) => {
      response.setHeader('content-type', 'application/json; charset=utf-8');
      response.end(bodyOf(body));
    });
  };
}

process.once('message', (data) => serve(data as BareServerData));
