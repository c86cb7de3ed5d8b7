import type { KeyValue } from './key-value';
import { readProgress, writeProgress } from './progress';

/** A key-value store with the methods that progress uses. */
class Texts implements KeyValue {
  private readonly texts = new Map<string, string>();

  async get(key: string): Promise<string | undefined> {
    return this.texts.get(key);
  }

  async set(key: string, value: string): Promise<void> {
    this.texts.set(key, value);
  }

  async delete(key: string): Promise<void> {
    this.texts.delete(key);
  }

  count = () => Promise.reject(new Error('progress has no counters'));
  setMember = () => Promise.reject(new Error('progress has no members'));
  deleteMember = () => Promise.reject(new Error('progress has no members'));
  listMembers = () => Promise.reject(new Error('progress has no members'));

  async close(): Promise<void> {
    this.texts.clear();
  }
}

describe('progress', () => {
  const block = (num: number): { num: number; id: string } => ({ num, id: num.toString(16).padStart(64, '0') });

  it('is undefined before it is published', async () => {
    expect(await readProgress(new Texts())).toBeUndefined();
  });

  it.each([
    ['an empty store', { chainId: undefined, committed: undefined, positions: [], sequence: 0 }],
    [
      'a chain',
      { chainId: 'ab'.repeat(32), committed: block(9), positions: [block(7), block(8), block(9)], sequence: 7 },
    ],
  ])('of %s is read as written', async (_what, progress) => {
    const texts = new Texts();
    await writeProgress(texts, progress);
    expect(await readProgress(texts)).toEqual(progress);
  });
});
