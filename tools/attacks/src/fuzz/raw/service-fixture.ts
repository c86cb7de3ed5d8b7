import { sampleFolder } from '@antelope-history/test-support/recordings';
import { type IndexedService, startIndexedService } from '@antelope-history/processes';
import { createHonestRequests, inAllCodings, LARGEST_REQUEST, NEXT_LARGEST_REQUEST } from '../../honest-requests';
import { HonestClient } from './honest-client';
import { type RawFixture, recordedAlone } from './raw-fixture';

const SAMPLE = sampleFolder('leap-edge');
const IN_FLIGHT = /^http_requests_in_flight(?:\{[^}]*\})? (\d+)$/gm;

/**
 * Starts the service of one process, whose gateway calls its APIs directly, over a recorded chain. It has no upstreams:
 * its responses are all that can be wrong.
 */
export async function openServiceFixture(): Promise<RawFixture> {
  const service = await startIndexedService(SAMPLE, { HISTORY_API__RATE_LIMIT_RPM: '0' });
  const fixture = new ServiceFixture(service);
  return recordedAlone(fixture);
}

class ServiceFixture implements RawFixture {
  readonly port: number;
  readonly pid: number;
  readonly honest: HonestClient;
  readonly upstreamRequests = 0;

  constructor(private readonly service: IndexedService) {
    this.port = Number(new URL(service.url).port);
    this.pid = service.pid;
    const requests = inAllCodings([...createHonestRequests(SAMPLE), LARGEST_REQUEST, NEXT_LARGEST_REQUEST]);
    this.honest = new HonestClient(service.url, requests, () => undefined);
  }

  allow(): void {}

  takeFaults(): string[] {
    return [];
  }

  async inFlight(): Promise<number> {
    const metrics = await (await fetch(`${this.service.operationsUrl}/metrics`)).text();
    const values = [...metrics.matchAll(IN_FLIGHT)].map(([, value]) => Number(value));
    if (values.length === 0) throw new Error('the service shows no metric of requests in flight');
    return values.reduce((sum, value) => sum + value, 0);
  }

  async close(): Promise<void> {
    this.honest.close();
    await this.service.stop();
  }
}
