import { openSampleReader, readRecordedChain } from '@antelope-history/endpoint-testing';
import { HeaderReader } from './block-header';

const ids = [...readRecordedChain('leap-edge').blocks.values()].map(({ position }) => position.id);

describe('the reader of headers', () => {
  const sample = openSampleReader('leap-edge');
  let read: string[] = [];
  /** Blocks that are not on the committed branch for now. */
  let away: string[] = [];
  const headers = new HeaderReader({
    getBlock: async (selector) => {
      const { status, block } = await sample.getBlock(selector);
      if (!block) throw new Error('the recording has no such block');
      read.push(block.position.id);
      return { status, block: away.includes(block.position.id) ? undefined : block };
    },
  });
  beforeEach(() => {
    read = [];
    away = [];
  });

  it('asks again for a block that was not on the committed branch', async () => {
    const [id = ''] = ids;
    away = [id];
    expect(await headers.read(id)).toBeUndefined();
    away = [];
    expect(await headers.read(id)).toMatchObject({ producer: expect.any(String) });
  });

  it('remembers the 64 blocks that were read last', async () => {
    const [first = '', second = '', ...others] = ids.slice(100, 165);
    for (const id of [first, second, ...others]) await headers.read(id);
    read = [];
    for (const id of [...others, second, first]) await headers.read(id);
    expect(read).toEqual([first]);
  });
});
