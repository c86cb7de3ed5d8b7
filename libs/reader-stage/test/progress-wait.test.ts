import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { writeProgress } from '@antelope-history/key-value';
import { createLogger } from '@antelope-history/app-runtime';
import { waitForProgress } from '../src/progress-wait';

const PROGRESS = { chainId: undefined, committed: undefined, positions: [], sequence: 3 };
const log = createLogger('test', 'silent');

class UnavailableKeyValue extends MemoryKeyValue {
  isUnavailable = true;

  override async get(key: string): Promise<string | undefined> {
    if (this.isUnavailable) throw new Error('the key-value store is unavailable');
    return super.get(key);
  }
}

describe('waitForProgress', () => {
  it('resolves when an indexer has published its progress', async () => {
    const keyValue = new MemoryKeyValue();
    const progress = waitForProgress(keyValue, log, new AbortController().signal);
    await writeProgress(keyValue, PROGRESS);
    expect(await progress).toEqual(PROGRESS);
  });

  it('waits while the key-value store is unavailable', async () => {
    const keyValue = new UnavailableKeyValue();
    await writeProgress(keyValue, PROGRESS);
    const progress = waitForProgress(keyValue, log, new AbortController().signal);
    setTimeout(() => (keyValue.isUnavailable = false), 120);
    expect(await progress).toEqual(PROGRESS);
  });

  it('resolves with undefined when the reader stops', async () => {
    const stopping = new AbortController();
    const progress = waitForProgress(new MemoryKeyValue(), log, stopping.signal);
    stopping.abort();
    expect(await progress).toBeUndefined();
  });
});
