import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { GeneratedRequest } from './generated-requests';

export interface TimedAnswer {
  status: number;
  contentType: string | undefined;
  body: string;
  /** From the first byte sent to the last received. */
  ms: number;
}

/** Sends requests over connections that stay open. */
export class HttpClient {
  private readonly agent: Agent;

  constructor(
    private readonly url: string,
    connections: number,
  ) {
    this.agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  async post({ path, headers, body }: GeneratedRequest): Promise<TimedAnswer> {
    const startedAt = performance.now();
    const sent = request(`${this.url}${path}`, {
      method: 'POST',
      agent: this.agent,
      headers: { ...headers, 'content-length': body.length },
    });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const received = await text(response);
    return {
      status: response.statusCode ?? 0,
      contentType: response.headers['content-type'],
      body: received,
      ms: performance.now() - startedAt,
    };
  }

  close(): void {
    this.agent.destroy();
  }
}
