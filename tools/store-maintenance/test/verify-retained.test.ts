import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { StoreReader } from '@antelope-history/store';
import { openLmdbStoreReader } from '@antelope-history/store-lmdb/reader';
import { openLmdbStoreWriter } from '@antelope-history/store-lmdb/writer';
import { openRecording, sampleFolder } from '@antelope-history/test-support/recordings';
import { type StoredFault, verifyStore } from '../src/index';
import { ListVerifier } from '../src/list-verifier';
import { indexRecording, runVerifyOn } from './verified-store';

const folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-verify-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a store that removes old blocks while it is verified', () => {
  const RETAINED_BLOCKS = 150;
  const REMOVED_AT = 100;

  /** A store of its own, and the removal of all but its newest blocks. */
  async function openRemovable(name: string) {
    const data = await indexRecording(folder, name, openRecording(sampleFolder('leap-edge')));
    const remove = async (): Promise<void> => {
      const writer = await openLmdbStoreWriter({ path: data, mapSizeBytes: 0, retainBlocks: RETAINED_BLOCKS });
      await writer.maintain();
      await writer.close();
    };
    return { data, remove, reader: await openLmdbStoreReader({ path: data, mapSizeBytes: 0 }) };
  }

  /** Verifies blocks up to `to`, the head by default. Old blocks are removed when the first one from REMOVED_AT on is read. */
  async function verifyRemovable(name: string, to?: number) {
    const { remove, reader } = await openRemovable(name);
    let removing: Promise<void> | undefined;
    const store: StoreReader = Object.assign(Object.create(reader) as StoreReader, {
      getBlockTraces: async (selector: { num: number }) => {
        if (selector.num >= REMOVED_AT) await (removing ??= remove());
        return reader.getBlockTraces(selector);
      },
    });
    const faults: StoredFault[] = [];
    const head = (await reader.getStatus()).committed!.num;
    const verification = await verifyStore(store, {
      from: 1,
      to: to ?? head,
      comparesPermissions: true,
      lists: new ListVerifier(store),
      signal: new AbortController().signal,
      onFault: (fault) => faults.push(fault),
      onBlock: () => undefined,
    });
    const { firstBlockNum } = await reader.getStatus();
    await reader.close();
    expect(firstBlockNum).toBe(head - RETAINED_BLOCKS + 1);
    expect(firstBlockNum).toBeGreaterThan(REMOVED_AT + 20);
    return { faults, verification };
  }

  it('is right, but for the permissions, which are not compared', async () => {
    const { faults, verification } = await verifyRemovable('removed');
    expect(faults).toEqual([]);
    expect(verification).toMatchObject({ isComplete: true, hasSkippedBlocks: true, isReplayWhole: false });
    expect(verification.counts.blocks).toBe(REMOVED_AT - 1 + RETAINED_BLOCKS);
  });

  it('does not compare permissions when blocks above the verified ones were removed', async () => {
    const { faults, verification } = await verifyRemovable('removed-above', REMOVED_AT - 1);
    expect(faults).toEqual([]);
    expect(verification).toMatchObject({ isComplete: true, hasSkippedBlocks: false, isReplayWhole: false });
  });

  it('continues from a checkpoint whose block was removed', async () => {
    const { data, remove, reader } = await openRemovable('removed-checkpoint');
    await reader.close();
    const file = path.join(folder, 'removed-interrupted');
    await runVerifyOn(['--checkpoint', file], data, AbortSignal.abort());
    await remove();
    const { status, printed } = await runVerifyOn(['--checkpoint', file], data);
    expect([status, printed]).toEqual([
      0,
      [
        expect.stringMatching(/^blocks 1 to \d+: \d+ verified, \d+ traces, 0 faults/),
        'Permissions were not compared, because the store removed old blocks before they were verified',
      ],
    ]);
  });
});
