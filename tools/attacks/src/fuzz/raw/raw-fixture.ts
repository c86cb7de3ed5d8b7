import type { HonestClient } from './honest-client';
import type { SeenRequest } from './reference-parser';

/** An attacked server, an honest client that knows the expected responses, and what can be seen of the server's inside. */
export interface RawFixture {
  readonly port: number;
  /** The process whose memory must not grow. */
  readonly pid: number;
  readonly honest: HonestClient;
  /** Number of requests that reached upstreams. */
  readonly upstreamRequests: number;
  /** Allows a request to reach an upstream once. */
  allow(request: SeenRequest): void;
  /** Faults inside the server since the last call. */
  takeFaults(): string[];
  /** The server's count of requests in flight. */
  inFlight(): Promise<number>;
  close(): Promise<void>;
}

export type OpenFixture = () => Promise<RawFixture>;

/** The fixture when its honest client has recorded the expected responses; closes it when that fails. */
export async function recordedAlone(fixture: RawFixture): Promise<RawFixture> {
  try {
    await fixture.honest.recordAlone();
    return fixture;
  } catch (error) {
    await fixture.close();
    throw error;
  }
}
