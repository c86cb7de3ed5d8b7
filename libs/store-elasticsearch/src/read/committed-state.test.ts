import type { ReadProgress } from '../indices/progress';
import { emptyProgress, type ProgressReader } from '../indices/progress';
import { areSame, CommittedState } from './committed-state';

/** A progress reader whose responses the test gives. */
class Responses {
  readonly waiting: ((read: ReadProgress | undefined) => void)[] = [];

  get reader(): ProgressReader {
    const read = (): Promise<ReadProgress | undefined> => new Promise((resolve) => this.waiting.push(resolve));
    return { read } as unknown as ProgressReader;
  }

  /** Responds to the oldest request with the progress of a version. */
  async respond(seqNo: number, storeId?: string): Promise<void> {
    const progress = { ...emptyProgress(10), revision: seqNo, ...(storeId !== undefined && { store_id: storeId }) };
    this.waiting.shift()?.({ progress, seqNo, primaryTerm: 1 });
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('the committed state', () => {
  it('answers every caller from a request that was sent after its call, and sends one at a time', async () => {
    const responses = new Responses();
    const state = new CommittedState(responses.reader, () => undefined);
    const first = state.read();
    const [second, third] = [state.read(), state.read()];
    expect(responses.waiting).toHaveLength(1);
    await responses.respond(1);
    expect((await first).seqNo).toBe(1);
    expect(responses.waiting).toHaveLength(1);
    await responses.respond(2);
    expect([(await second).seqNo, (await third).seqNo]).toEqual([2, 2]);
    expect(responses.waiting).toHaveLength(0);
  });

  it('sends a new request after one that failed', async () => {
    let requests = 0;
    const read = () => (requests++ === 0 ? Promise.reject(new Error('lost')) : Promise.resolve(undefined));
    const state = new CommittedState({ read } as unknown as ProgressReader, () => undefined);
    const [failed, later] = [state.read(), state.read()];
    await expect(failed).rejects.toThrow('lost');
    expect((await later).seqNo).toBeUndefined();
  });

  it('holds a progress for a stated time', async () => {
    jest.useFakeTimers({ now: 1_000, doNotFake: ['performance', 'setImmediate'] });
    const responses = new Responses();
    const state = new CommittedState(responses.reader, () => undefined);
    expect(state.heldSince(1_000)).toBeUndefined();
    const read = state.read();
    await responses.respond(1);
    await read;
    expect(state.heldSince(1_000)?.seqNo).toBe(1);
    jest.setSystemTime(1_000 + 2_000);
    expect(state.heldSince(1_000)).toBeUndefined();
    jest.useRealTimers();
  });

  it('tells when the indices were made again', async () => {
    const responses = new Responses();
    const onReset = jest.fn();
    const state = new CommittedState(responses.reader, onReset);
    for (const seqNo of [4, 5, 5, 2]) {
      const read = state.read();
      await responses.respond(seqNo);
      await read;
      expect(onReset).toHaveBeenCalledTimes(seqNo === 2 ? 1 : 0);
    }
  });

  it('tells when the indices were made again and have passed the version that was read last', async () => {
    const responses = new Responses();
    const onReset = jest.fn();
    const state = new CommittedState(responses.reader, onReset);
    const stores = [
      ['one', 0],
      ['one', 0],
      ['other', 1],
      ['other', 1],
    ] as const;
    for (const [index, [storeId, resets]] of stores.entries()) {
      const read = state.read();
      await responses.respond(index, storeId);
      await read;
      expect(onReset).toHaveBeenCalledTimes(resets);
    }
  });

  it('is the same only with the same version of the same chain', () => {
    const state = { progress: emptyProgress(10), seqNo: 3, primaryTerm: 1, age: () => 0 };
    expect(areSame(state, { ...state, progress: { ...state.progress } })).toBe(true);
    expect(areSame(state, { ...state, seqNo: 4 })).toBe(false);
    expect(areSame(state, { ...state, primaryTerm: 2 })).toBe(false);
    expect(areSame(state, { ...state, progress: { ...state.progress, chain_id: 'other' } })).toBe(false);
    expect(areSame(state, { ...state, progress: { ...state.progress, store_id: 'other' } })).toBe(false);
    expect(areSame(state, { ...state, progress: { ...state.progress, committed: { num: 1, id: '01' } } })).toBe(false);
  });
});
