import { HistoryError } from '@antelope-history/schemas';
import { Registry } from '@antelope-history/app-runtime';
import type { ChainStatus, HistoryReader } from '@antelope-history/store';
import { countChainStatus } from './chain-metrics';

describe('the metrics of the chain', () => {
  it('let the data grow older while the store does not respond', async () => {
    const status = { committed: { num: 7 }, committedTimestamp: 2 } as unknown as ChainStatus;
    let isDown = true;
    const getStatus = () =>
      isDown ? Promise.reject(new HistoryError('STORE_UNAVAILABLE', 'away')) : Promise.resolve(status);
    const registry = new Registry();
    countChainStatus({ getStatus } as unknown as HistoryReader, registry);
    const read = async (): Promise<number> =>
      Number(/^history_committed_block_age_seconds (.*)$/m.exec(await registry.metrics())?.[1]);
    expect(await read()).toBe(0);
    isDown = false;
    const age = await read();
    expect(age).toBeGreaterThan(1_000);
    isDown = true;
    expect(await read()).toBeGreaterThanOrEqual(age);
    expect(await registry.metrics()).toContain('history_block_number{position="committed"} 7');
  });
});
