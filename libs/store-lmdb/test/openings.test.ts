import { once } from 'node:events';
import { mkdtempSync, openSync, readSync, closeSync, rmSync, writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BlockRecords } from '@antelope-history/records';
import type { StoreWriter } from '@antelope-history/store';
import { type BlockPlan, SyntheticChain } from '@antelope-history/store/contract';
import { lockFileIn } from '../src/format/environment';
import { addressesIn, closeSocket, connectTo, listenIn, socketFolders } from '../src/lock/lock-sockets';
import { openBetweenCommits } from '../src/lock/open-between-commits';
import { OpeningGate } from '../src/lock/opening-gate';
import { identityIn, ownIdentity } from '../src/lock/process-identity';
import { takeWriterLock } from '../src/lock/writer-lock';
import { openLmdbStoreReader } from '../src/reader';
import { openLmdbStoreWriter } from '../src/writer';

const PLAN: BlockPlan = {
  transactions: [
    [{ account: 'token', name: 'transfer', actor: 'alice', notified: [], creatorDistance: 0, dataBytes: 20 }],
  ],
  abis: [],
  permissions: [],
};
const PENDING = 'pending';
/** Longer than a commit takes. */
const A_WHILE_MS = 300;

/** What a promise resolves to, or `PENDING`. */
const soon = (promise: Promise<unknown>): Promise<unknown> => Promise.race([promise, sleep(A_WHILE_MS, PENDING)]);

describe('the openings of a data directory', () => {
  let directory: string;
  const closers: (() => Promise<void>)[] = [];
  beforeEach(() => (directory = mkdtempSync(path.join(tmpdir(), 'store-lmdb-openings-'))));
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
    rmSync(directory, { recursive: true });
  });

  async function openWriter(): Promise<StoreWriter> {
    const writer = await openLmdbStoreWriter({ path: directory, mapSizeBytes: 0 });
    closers.push(() => writer.close());
    return writer;
  }

  const blocksAfter = (parent?: BlockRecords): BlockRecords[] =>
    new SyntheticChain().blocks(parent, [PLAN, PLAN, PLAN]);

  /** Connects to the writer as a process does that wants to open the directory. */
  async function visitWriter(): Promise<Socket> {
    const [address] = socketFolders(directory, 'writer').flatMap((folder) => addressesIn(folder));
    const visitor = await connectTo(address ?? '');
    if (!visitor) throw new Error('no process listens');
    closers.push(async () => void visitor.destroy());
    return visitor;
  }

  it('hold the commits up until they end', async () => {
    const writer = await openWriter();
    const visitor = await visitWriter();
    const [identity] = (await once(visitor, 'data')) as [Buffer];
    expect(identityIn(identity)).toEqual(ownIdentity());
    const blocks = blocksAfter();
    const written = writer.writeBlocks(blocks);
    expect(await soon(written)).toBe(PENDING);
    expect((await writer.getProgress()).status.committed).toBeUndefined();
    // What a visitor sends does not hide that it leaves.
    visitor.end(Buffer.alloc(200_000));
    expect((await written).committed).toEqual(blocks.at(-1)?.position);
  });

  it('hold the commits up no longer than the limit, and never for good', async () => {
    const gate = new OpeningGate(20);
    const folder = { folder: directory, prefix: 'writer-' };
    const socket = await listenIn(folder, gate.admit);
    closers.push(() => closeSocket(socket));
    const visitor = await visitWriter();
    await once(visitor, 'data');
    const commit = jest.fn();
    const late = { code: 'STORE_UNAVAILABLE', retryable: true, message: expect.stringContaining('opening') };
    await expect(gate.whileNoneOpens(commit)).rejects.toMatchObject(late);
    expect(commit).not.toHaveBeenCalled();
    visitor.destroy();
    await once(visitor, 'close');
    await sleep(A_WHILE_MS);
    await gate.whileNoneOpens(commit);
    expect(commit).toHaveBeenCalledTimes(1);
  });

  it('wait for a commit in progress, and begin before the next one', async () => {
    const lock = await takeWriterLock(directory);
    closers.push(() => lock.release());
    const events: string[] = [];
    let end = (): void => undefined;
    const first = lock.gate.whileNoneOpens(() => new Promise<void>((resolve) => (end = resolve)));
    const opened = openBetweenCommits(directory, (isWritten) => events.push(`opened, is written: ${isWritten}`));
    expect(await soon(opened)).toBe(PENDING);
    end();
    await first;
    await opened;
    await lock.gate.whileNoneOpens(() => events.push('second commit'));
    expect(events).toEqual(['opened, is written: true', 'second commit']);
  });

  it('need no writer, and do not wait for one that ends', async () => {
    expect(await openBetweenCommits(directory, (isWritten) => isWritten)).toBe(false);
    const lock = await takeWriterLock(directory);
    void lock.gate.whileNoneOpens(() => new Promise<void>(() => undefined));
    const opened = openBetweenCommits(directory, (isWritten) => isWritten);
    expect(await soon(opened)).toBe(PENDING);
    await lock.release();
    expect(await opened).toBe(false);
  });

  it('are announced to a writer that starts meanwhile', async () => {
    const announced = await openBetweenCommits(directory, () =>
      socketFolders(directory, 'opener').flatMap((folder) => addressesIn(folder)),
    );
    expect(announced).toHaveLength(1);
  });

  it('that began before the writer hold its start up', async () => {
    const [folder] = socketFolders(directory, 'opener');
    if (!folder) throw new Error('no folder');
    const opener = await listenIn(folder, (visitor) => visitor.destroy());
    const started = openWriter();
    expect(await soon(started)).toBe(PENDING);
    await closeSocket(opener);
    await started;
  });

  it.each([
    [{ pid: process.pid, namespace: 'pid:[1]' }, 'another container'],
    [{ pid: process.pid + 1, namespace: 'pid:[1]' }, undefined],
    [ownIdentity(), undefined],
  ])('are refused beside a writer that LMDB takes for the same process (%j)', async (identity, refusal) => {
    const socket = await listenIn({ folder: directory, prefix: 'writer-' }, (visitor) => {
      visitor.on('error', () => undefined).resume();
      visitor.write(JSON.stringify(identity));
    });
    closers.push(() => closeSocket(socket));
    const opened = openBetweenCommits(directory, () => 'opened');
    const refused = { code: 'STORE_UNAVAILABLE', message: expect.stringContaining(refusal ?? '') };
    await (refusal ? expect(opened).rejects.toMatchObject(refused) : expect(opened).resolves.toBe('opened'));
  });

  it('do not begin on what is no permission', async () => {
    let answers = 0;
    const socket = await listenIn({ folder: directory, prefix: 'writer-' }, (visitor) => {
      visitor.on('error', () => undefined).resume();
      answers++;
      if (answers === 1) visitor.write('nonsense');
      else if (answers === 2) visitor.destroy();
      else visitor.write(JSON.stringify(ownIdentity()));
    });
    closers.push(() => closeSocket(socket));
    await openBetweenCommits(directory, () => undefined);
    expect(answers).toBe(3);
  });

  it('by many processes at once take turns', async () => {
    const writer = await openWriter();
    const visitors = await Promise.all(Array.from({ length: 150 }, visitWriter));
    // Each is closed after its last bytes; the test's time is the limit.
    while (visitors.filter(({ destroyed }) => !destroyed).length > 100) await sleep(10);
    const written = writer.writeBlocks(blocksAfter());
    for (const visitor of visitors) visitor.destroy();
    await written;
  });

  it('leave no file behind', async () => {
    const writer = await openWriter();
    await writer.writeBlocks(blocksAfter());
    const reader = await openLmdbStoreReader({ path: directory, mapSizeBytes: 0 });
    await reader.close();
    expect(socketFolders(directory, 'opener').flatMap((folder) => addressesIn(folder))).toEqual([]);
  });
});

describe('a data directory that another program opened during a commit', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(path.join(tmpdir(), 'store-lmdb-damaged-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  const options = (): { path: string; mapSizeBytes: number } => ({ path: directory, mapSizeBytes: 0 });

  /** Sets the number of LMDB's newest transaction back, as `mdb_env_open` does when a commit comes in between. */
  function loseLastCommit(): void {
    // MDB_txbody: u32 magic, u32 format, then the number.
    const [file, number] = [openSync(lockFileIn(directory), 'r+'), Buffer.alloc(8)];
    readSync(file, number, 0, 8, 8);
    number.writeBigUInt64LE(number.readBigUInt64LE() - 1n);
    writeSync(file, number, 0, 8, 8);
    closeSync(file);
  }

  it('is written and read no more', async () => {
    const writer = await openLmdbStoreWriter(options());
    const [first, second, third] = new SyntheticChain().blocks(undefined, [PLAN, PLAN, PLAN]) as [
      BlockRecords,
      BlockRecords,
      BlockRecords,
    ];
    await writer.writeBlocks([first]);
    await writer.setChainId('aa');
    const reader = await openLmdbStoreReader(options());
    expect((await reader.getStatus()).chainId).toBe('aa');
    loseLastCommit();
    const damaged = { code: 'STORE_DAMAGED', retryable: false };
    await expect(writer.writeBlocks([second])).rejects.toMatchObject(damaged);
    await expect(writer.writeBlocks([third])).rejects.toMatchObject(damaged);
    await expect(reader.getStatus()).rejects.toMatchObject(damaged);
    await reader.close();
    await expect(openLmdbStoreReader(options())).rejects.toMatchObject(damaged);
    await writer.close();
    await expect(openLmdbStoreWriter(options())).rejects.toMatchObject(damaged);
  });
});
