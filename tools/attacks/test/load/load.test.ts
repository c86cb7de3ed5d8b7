import { runLoad, tableLines } from '../../src/load';

const SECONDS = 15;
const CONNECTIONS = 100;

describe('the service among clients of all kinds', () => {
  it('gives honest ones the responses that they get alone, within its memory', async () => {
    const memoryLimitBytes = 1024 ** 3;
    const figures = await runLoad({ connections: CONNECTIONS, seconds: SECONDS, seed: 1, memoryLimitBytes });
    const [honest, ...hostile] = figures.kinds;
    expect({ table: tableLines(figures.kinds), faults: figures.faults, shown: figures.responses.shown }).toMatchObject({
      faults: [],
      shown: [],
    });
    expect(honest?.statuses['200']).toBeGreaterThan(0);
    expect(hostile.map(({ kind, requests, connections }) => [kind, requests + connections > 0])).toEqual(
      ['slow', 'silent', 'huge', 'pipelining', 'non-reading', 'reconnecting'].map((kind) => [kind, true]),
    );
  }, 180_000);
});
