import { testSize } from '@antelope-history/test-support/random';
import { runLoad, tableLines } from '../../src/load';

const SECONDS = testSize({ usual: 8, long: 60 });
const CONNECTIONS = 100;

describe('the service under honest and hostile clients', () => {
  it('sends honest clients the same responses as without other clients, within the memory limit', async () => {
    const memoryLimitBytes = 1024 ** 3;
    const figures = await runLoad({ connections: CONNECTIONS, seconds: SECONDS, seed: 1, memoryLimitBytes });
    const [honest, ...hostile] = figures.clients;
    expect({
      table: tableLines(figures.clients),
      faults: figures.faults,
      shown: figures.responses.shown,
    }).toMatchObject({
      faults: [],
      shown: [],
    });
    expect(honest?.statuses['200']).toBeGreaterThan(0);
    expect(hostile.map(({ behaviour, requests, connections }) => [behaviour, requests + connections > 0])).toEqual(
      ['slow', 'silent', 'huge', 'pipelining', 'non-reading', 'reconnecting'].map((behaviour) => [behaviour, true]),
    );
  }, 180_000);
});
