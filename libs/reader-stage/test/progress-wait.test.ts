import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { writeProgress } from '@antelope-history/key-value';
import { createLogger } from '@antelope-history/service';
import { waitForProgress } from '../src/progress-wait';

const PROGRESS = { chainId: undefined, committed: undefined, positions: [], ordinal: 3 };
const log = createLogger('test', 'silent');

class AwayKeyValue extends MemoryKeyValue {
  isAway = true;

  override async get(key: string): Promise<string | undefined> {
    if (this.isAway) throw new Error('the key-value store is away');
    return super.get(key);
  }
}

describe('waiting for where the store stands', () => {
  it('ends when an indexer has told it', async () => {
    const keyValue = new MemoryKeyValue();
    const progress = waitForProgress(keyValue, log, new AbortController().signal);
    await writeProgress(keyValue, PROGRESS);
    expect(await progress).toEqual(PROGRESS);
  });

  it('outlasts a key-value store that is away', async () => {
    const keyValue = new AwayKeyValue();
    await writeProgress(keyValue, PROGRESS);
    const progress = waitForProgress(keyValue, log, new AbortController().signal);
    setTimeout(() => (keyValue.isAway = false), 120);
    expect(await progress).toEqual(PROGRESS);
  });

  it('ends with nothing when the reader stops', async () => {
    const stopping = new AbortController();
    const progress = waitForProgress(new MemoryKeyValue(), log, stopping.signal);
    stopping.abort();
    expect(await progress).toBeUndefined();
  });
});
