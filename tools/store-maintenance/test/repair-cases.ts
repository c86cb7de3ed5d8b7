import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger, loadConfig } from '@antelope-history/app-runtime';
import { openStoreReader } from '@antelope-history/open-store-reader';
import { openStoreRepairer } from '@antelope-history/open-store-writer';
import { decodeActionRecord } from '@antelope-history/records';
import { createShipReplay, type ShipReplay, startHostileNode } from '@antelope-history/ship-replay';
import { openRecording, type Recording, sampleFolder } from '@antelope-history/test-support/recordings';
import { BlockRanges } from '../src/block-ranges';
import { runRepair, runVerify } from '../src/index';
import { repairBlocks } from '../src/repair-blocks';
import { recordsOf } from './recorded-records';

const PROJECT = path.join(__dirname, '..');
const LIMIT_MS = 300_000;

/** Blocks of the recording that tests damage. All are irreversible. */
export interface Targets {
  /** It has actions of contracts; the id is that of its last transaction. */
  blockNum: number;
  transactionId: Buffer;
  /** It creates accounts with keys of their own. */
  permissionBlock: number;
  /** It sets an ABI. */
  abiBlock: number;
}

/** A store with the recording, which can be damaged. */
export interface DamagedStore {
  /** Configuration of the store as environment variables. */
  environment: NodeJS.ProcessEnv;
  /** All that is stored, as comparable text by key. */
  dump(): Promise<Map<string, string>>;
  /** Ways to damage what is stored, by name; each may be found as one of several faults. */
  damages: Record<string, (targets: Targets) => Promise<void>>;
  /** Makes a process write to the store, as the indexer of a running service does, until the function returned is called. */
  serve(): Promise<() => Promise<void>>;
  /** Removes old blocks, as a service that keeps only the newest ones does; resolves with the first block that is left. */
  removeOldBlocks(): Promise<number>;
  close(): Promise<void>;
}

/** Damages a store, and expects that `verify` finds it and `repair` restores every byte. */
export function describeRepair(
  name: string,
  open: (recording: Recording) => Promise<DamagedStore>,
  kinds: string[],
): void {
  jest.setTimeout(LIMIT_MS);
  describe(`repairing ${name}`, () => {
    const recording = openRecording(sampleFolder('leap-forks'));
    const targets = findTargets(recording);
    let store: DamagedStore;
    let node: ShipReplay;
    let whole: Map<string, string>;

    beforeAll(async () => {
      execFileSync(process.execPath, [
        require.resolve('typescript/bin/tsc'),
        '--build',
        path.join(PROJECT, 'tsconfig.lib.json'),
      ]);
      store = await open(recording);
      node = await createShipReplay({ recording, position: 'end' });
      whole = await store.dump();
    });
    afterAll(async () => {
      await store.close();
      await node.close();
    });

    const environment = (urls = [node.url]): NodeJS.ProcessEnv => ({
      ...store.environment,
      HISTORY_SHIP__URLS: urls.join(','),
    });

    const run = async (
      command: typeof runVerify,
      args: string[] = [],
      env = environment(),
      { signal } = new AbortController(),
    ): Promise<{ status: number; printed: string[] }> => {
      const printed: string[] = [];
      const print = (line: string): void => void printed.push(line);
      const progress = { show: () => undefined, print, field: () => undefined, close: () => undefined };
      const status = await command({ args, environment: env, print, progress, signal });
      return { status, printed };
    };

    it.each(kinds)('restores %s while the service runs', async (kind) => {
      await store.damages[kind]?.(targets);
      expect(differences(whole, await store.dump())).not.toEqual([]);
      const found = await run(runVerify);
      expect(found).toMatchObject({ status: 1 });
      const stop = await store.serve();
      const repaired = await run(runRepair).finally(stop);
      expect([repaired.printed.at(-1), repaired.status]).toEqual([
        expect.stringMatching(/^\d+ blocks to replace, \d+ replaced, 0 that no node has, 0 faults left$/),
        0,
      ]);
      expect(await run(runVerify)).toMatchObject({ status: 0 });
      expect(differences(whole, await store.dump())).toEqual([]);
    });

    it('does nothing to a store that is whole', async () => {
      const { status, printed } = await run(runRepair);
      expect([status, printed.at(-1)]).toEqual([
        0,
        '0 blocks to replace, 0 replaced, 0 that no node has, 0 faults left',
      ]);
      expect(differences(whole, await store.dump())).toEqual([]);
    });

    it('replaces a range without a service, and changes nothing where nothing is wrong', async () => {
      await store.damages[kinds[0] ?? '']?.(targets);
      const range = ['--from', String(targets.blockNum - 3), '--to', String(targets.blockNum + 60)];
      const { status, printed } = await run(runRepair, range);
      expect([status, printed.at(-1)]).toEqual([
        0,
        '64 blocks to replace, 64 replaced, 0 that no node has, 0 faults left',
      ]);
      expect(differences(whole, await store.dump())).toEqual([]);
    });

    it('says what no node has, and takes the next node where one fails', async () => {
      await store.damages[kinds[0] ?? '']?.(targets);
      const young = await createShipReplay({ recording, position: 2 });
      const absent = 'ws://127.0.0.1:9';
      const failed = await run(runRepair, [], environment([young.url, absent]));
      expect([failed.status, failed.printed.at(-1)]).toEqual([
        1,
        expect.stringMatching(/^1 blocks to replace, 0 replaced, 1 that no node has, [12] faults left$/),
      ]);
      const { status } = await run(runRepair, [], environment([young.url, absent, node.url]));
      await young.close();
      expect(status).toBe(0);
      expect(differences(whole, await store.dump())).toEqual([]);
    });

    it('neither waits for a silent node nor asks the next one when it is interrupted', async () => {
      await store.damages[kinds[0] ?? '']?.(targets);
      const damaged = await store.dump();
      const interruption = new AbortController();
      const silent = await startHostileNode(recording, [{ code: 'none', blocks: () => interruption.abort() }]);
      const range = ['--from', String(targets.blockNum), '--to', String(targets.blockNum)];
      const { status, printed } = await run(runRepair, range, environment([silent.url, node.url]), interruption);
      await silent.close();
      expect([status, ...printed]).toEqual([
        1,
        '1 blocks to replace, 0 replaced, 0 that no node has, 0 faults left',
        'Interrupted; run it again',
      ]);
      expect(differences(damaged, await store.dump())).toEqual([]);
      expect(await run(runRepair)).toMatchObject({ status: 0 });
    });

    it('refuses blocks of a node that are not those of their headers', async () => {
      await store.damages[kinds[0] ?? '']?.(targets);
      const damaged = await store.dump();
      const liar = await createShipReplay({ recording: altered(recording, targets.blockNum), position: 'end' });
      const { status, printed } = await run(runRepair, [], environment([liar.url]));
      await liar.close();
      expect([status, printed.join('\n')]).toEqual([1, expect.stringMatching(/BLOCK_ALTERED|DECODE_FAILED/)]);
      expect(differences(damaged, await store.dump())).toEqual([]);
      expect(await run(runRepair)).toMatchObject({ status: 0 });
      expect(differences(whole, await store.dump())).toEqual([]);
    });

    it('is killed at any moment and run again', async () => {
      const script = path.join(PROJECT, 'dist/repair-main.js');
      const from = Math.max(2, targets.blockNum - 39);
      // Two batches.
      const range = ['--from', String(from), '--to', String(from + 99)];
      const stop = await store.serve();
      for (const afterMs of [0, 40, 250]) {
        const isWhole = differences(whole, await store.dump()).length === 0;
        if (isWhole) await store.damages[kinds[0] ?? '']?.(targets);
        const connections = node.stats.connections.length;
        const child = spawn(process.execPath, [script, ...range], { env: { ...process.env, ...environment() } });
        const gone = once(child, 'exit');
        // From here on it replaces blocks.
        while (node.stats.connections.length === connections && child.exitCode === null) await sleep(5);
        await sleep(afterMs);
        child.kill('SIGKILL');
        await gone;
      }
      const { status } = await run(runRepair, range).finally(stop);
      expect(status).toBe(0);
      expect(differences(whole, await store.dump())).toEqual([]);
    });

    it('leaves out blocks that the store has removed because it keeps only the newest ones', async () => {
      const first = await store.removeOldBlocks();
      const left = await store.dump();
      const latest = new Map(recordsOf(recording).map((block) => [block.position.num, block]));
      const blocks = [-2, -1, 0, 1].flatMap((offset) => latest.get(first + offset) ?? []);
      expect(blocks.length).toBe(4);
      const config = loadConfig(environment(), { uses: ['store', 'ship'] });
      const stop = await store.serve();
      const repairer = await openStoreRepairer(config.store, createLogger('repair', 'silent'));
      await repairer.repairBlocks(blocks).finally(() => repairer.close());
      await stop();
      expect(differences(left, await store.dump())).toEqual([]);

      const reader = await openStoreReader(config.store, createLogger('repair', 'silent'));
      const troubles: string[] = [];
      const unavailable = await repairBlocks(new BlockRanges([[first - 2, first - 1]]), {
        reader,
        repairer: { repairBlocks: () => Promise.reject(new Error('no block is left')), close: () => Promise.resolve() },
        ship: { ...config.ship, urls: ['ws://127.0.0.1:9'] },
        signal: new AbortController().signal,
        onTrouble: (what) => void troubles.push(what),
        onReplaced: () => undefined,
      });
      expect([unavailable.count, troubles]).toEqual([0, []]);
      await reader.close();

      const range = ['--from', String(first - 2), '--to', String(first + 1)];
      const { status, printed } = await run(runRepair, range);
      expect([status, printed.at(-1)]).toEqual([
        0,
        '2 blocks to replace, 2 replaced, 0 that no node has, 0 faults left',
      ]);
      expect(await run(runVerify)).toMatchObject({ status: 0 });
      expect(differences(left, await store.dump())).toEqual([]);
    });
  });
}

/** The keys whose values differ, or which only one of them has. */
function differences(left: Map<string, string>, right: Map<string, string>): string[] {
  return [...new Set([...left.keys(), ...right.keys()])].filter((key) => left.get(key) !== right.get(key));
}

function findTargets(recording: Recording): Targets {
  const records = recordsOf(recording);
  const irreversible = records.at(-1)?.lastIrreversible.num ?? 0;
  const last = new Map(
    records.filter(({ position }) => position.num <= irreversible - 70).map((each) => [each.position.num, each]),
  );
  const blocks = [...last.values()].filter(({ position }) => position.num > 2);
  const numWith = (isIt: (block: (typeof blocks)[number]) => boolean): number => {
    const found = blocks.find(isIt)?.position.num;
    if (found === undefined) throw new Error('the recording has no such block');
    return found;
  };
  const isAction = (name: string) => (block: (typeof blocks)[number]) =>
    block.transactions.some(({ actions }) =>
      actions.some((action) => action.name === name && action.account === 'eosio'),
    );
  const blockNum = numWith(({ transactions }) =>
    transactions.some(({ actions }) => actions.some(({ name }) => name === 'transfer')),
  );
  const transactionId = last.get(blockNum)?.transactions.at(-1)?.id;
  if (!transactionId) throw new Error('the block has no transaction');
  return {
    blockNum,
    transactionId,
    permissionBlock: numWith(isAction('newaccount')),
    abiBlock: numWith(isAction('setabi')),
  };
}

/** The recording with one byte of an action's data changed in a block's message. */
function altered(recording: Recording, blockNum: number): Recording {
  const block = recordsOf(recording).findLast(({ position }) => position.num === blockNum);
  const transaction = block?.transactions.at(-1);
  const action = transaction?.actions.at(-1);
  if (!block || !transaction || !action) throw new Error('the recording has no such block');
  const { data } = decodeActionRecord(action.bytes, transaction.firstSequence);
  const id = Buffer.from(block.position.id, 'hex');
  const messages = recording.messages.map((message) => {
    const at = message.bytes.lastIndexOf(data);
    if (at < 0 || !message.bytes.includes(id)) return message;
    const bytes = Buffer.from(message.bytes);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return { ...message, bytes };
  });
  return { ...recording, messages };
}
