import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BlockRecords } from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
import { EMPTY_BLOCK, SyntheticChain } from '@antelope-history/store/contract';
import { RepairSpool } from '../src/write/repair-spool';
import { openLmdbStoreWriter } from '../src/writer';

let directory: string;
let repairs: string;
let spool: RepairSpool;
const made = new SyntheticChain();
const first = made.block(undefined, EMPTY_BLOCK);
const second = made.block(first, EMPTY_BLOCK);

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'store-lmdb-spool-'));
  repairs = path.join(directory, 'repairs');
  spool = new RepairSpool(directory);
});
afterEach(() => rmSync(directory, { recursive: true }));

const idsOf = (blocks: readonly BlockRecords[]): string[] => blocks.map(({ position }) => position.id);

/** Applies requests until `count` calls of `repair` were made. */
async function applyUntil(count: number, repair: (blocks: BlockRecords[]) => Promise<void>): Promise<void> {
  let calls = 0;
  while (calls < count) {
    await spool.apply((blocks) => {
      calls++;
      return repair(blocks);
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('the repair spool', () => {
  it('passes the blocks to the writer, and resolves when they are applied', async () => {
    const applied: string[][] = [];
    const requested = spool.request([first, second]);
    await applyUntil(1, (blocks) => Promise.resolve(void applied.push(idsOf(blocks))));
    await requested;
    expect(applied).toEqual([idsOf([first, second])]);
    expect(readdirSync(repairs)).toEqual([]);
  });

  it('applies requests in the order in which they were made', async () => {
    const applied: string[][] = [];
    const requests = [spool.request([first])];
    await new Promise((resolve) => setTimeout(resolve, 2));
    requests.push(spool.request([second]));
    await applyUntil(2, (blocks) => Promise.resolve(void applied.push(idsOf(blocks))));
    await Promise.all(requests);
    expect(applied).toEqual([idsOf([first]), idsOf([second])]);
  });

  it('is waited for as long as the writer commits parts of it, or of those before it', async () => {
    const patient = new RepairSpool(directory, 300);
    const requests = [patient.request([first])];
    await new Promise((resolve) => setTimeout(resolve, 2));
    requests.push(patient.request([second]));
    await patient.apply(async (_, onCommit) => {
      for (let commits = 0; commits < 5; commits++) {
        await new Promise((resolve) => setTimeout(resolve, 150));
        onCommit();
      }
    });
    await Promise.all(requests);
    expect(readdirSync(repairs)).toEqual([]);
  });

  it('gets a sign of the real writer when it commits', async () => {
    const writer = await openLmdbStoreWriter({ path: directory, mapSizeBytes: 0 });
    await writer.writeBlocks([{ ...first, lastIrreversible: first.position }]);
    void spool.request([first]).catch(() => undefined);
    const [name = ''] = readdirSync(repairs);
    // The request of another program, which is dead, so that it does not read the outcome.
    const file = path.join(repairs, '1-dead.blocks');
    renameSync(path.join(repairs, name), file);
    utimesSync(file, 1_000, 1_000);
    await writer.maintain();
    expect(statSync(`${file}.applied`).mtimeMs).toBeGreaterThan(Date.now() - 60_000);
    await writer.close();
  });

  it('is given up, and removed, when the writer gives no sign of work', async () => {
    const impatient = new RepairSpool(directory, 300);
    const outcome = expect(impatient.request([first])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    let commitsAfter = 0;
    await impatient.apply(async (_, onCommit) => {
      await outcome;
      onCommit();
      commitsAfter++;
    });
    expect([commitsAfter, readdirSync(repairs)]).toEqual([1, []]);
  });

  it('rejects with the reason of a refusal, and leaves no file', async () => {
    const requested = spool.request([first]);
    const outcome = expect(requested).rejects.toMatchObject({ code: 'REPAIR_REFUSED', message: 'it is reversible' });
    await applyUntil(1, () => Promise.reject(new HistoryError('REPAIR_REFUSED', 'it is reversible')));
    await outcome;
    expect(readdirSync(repairs)).toEqual([]);
  });

  it('applies a repair again that failed with a retryable error', async () => {
    const requested = spool.request([first]);
    const fails = (): Promise<void> => Promise.reject(new HistoryError('STORE_UNAVAILABLE', 'the disk is full'));
    await expect(applyUntil(1, fails)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(readdirSync(repairs)).toHaveLength(1);
    await applyUntil(1, () => Promise.resolve());
    await requested;
    expect(readdirSync(repairs)).toEqual([]);
  });

  it.each<[string, () => Promise<void>]>([
    ['refused', () => Promise.reject(new HistoryError('REPAIR_REFUSED', 'it is reversible'))],
    ['applied', () => Promise.resolve()],
  ])('takes nothing for success when its outcome was removed meanwhile: %s', async (_, outcome) => {
    const requested = spool.request([first]);
    const unknown = expect(requested).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('repair again') as string,
    });
    // The program is suspended, because nothing here returns to the event loop, for longer than a writer with this limit keeps outcomes.
    const writer = new RepairSpool(directory, 1);
    await writer.apply(outcome);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);
    await writer.apply(() => Promise.reject(new Error('no request is left')));
    expect(readdirSync(repairs)).toEqual([]);
    await unknown;
  });

  it('applies the whole repair of a program whose files have times that the writer may not set', async () => {
    // Nobody else may become another user.
    if (process.getuid?.() !== 0) return;
    const requested = spool.request([first]);
    let commits = 0;
    await spool.apply((_, onCommit) => {
      process.seteuid!(65_534);
      try {
        onCommit();
      } finally {
        process.seteuid!(0);
      }
      commits++;
      return Promise.resolve();
    });
    await requested;
    expect(commits).toBe(1);
  });

  it('refuses a file that was changed', async () => {
    const requested = spool.request([first]);
    const [name = ''] = readdirSync(repairs);
    const file = path.join(repairs, name);
    const bytes = readFileSync(file);
    bytes[bytes.length - 1]! ^= 1;
    writeFileSync(file, bytes);
    const outcome = expect(requested).rejects.toMatchObject({ code: 'REPAIR_REFUSED' });
    await spool.apply(() => Promise.reject(new Error('it must not be applied')));
    await outcome;
  });

  it('removes what killed programs left, after ten minutes', async () => {
    mkdirSync(repairs);
    const left = ['1-a.blocks.new', '1-b.blocks.refused', '1-c.blocks.applied'].map((name) => path.join(repairs, name));
    for (const file of left) writeFileSync(file, '');
    await spool.apply(() => Promise.resolve());
    expect(readdirSync(repairs)).toHaveLength(3);
    const longAgo = new Date(Date.now() - 601_000);
    for (const file of left) utimesSync(file, longAgo, longAgo);
    await spool.apply(() => Promise.resolve());
    expect(readdirSync(repairs)).toEqual([]);
  });

  it('does nothing where no repair was ever asked for', async () => {
    await spool.apply(() => Promise.reject(new Error('there is none')));
    expect(readdirSync(directory)).toEqual([]);
  });
});
