import { type Config, createLogger, loadConfig, parseOptions } from '@antelope-history/app-runtime';
import { openStoreReader } from '@antelope-history/open-store-reader';
import { openStoreRepairer } from '@antelope-history/open-store-writer';
import { HistoryError } from '@antelope-history/schemas';
import type { HistoryReader, StoreRepairer } from '@antelope-history/store';
import { BlockRanges } from './block-ranges';
import type { StoredFault } from './chain-verifier';
import type { RequestedRange } from './checkpoint';
import { parseRange } from './command-line';
import { PermissionVerifier } from './permission-verifier';
import { repairBlocks } from './repair-blocks';
import { requireData } from './require-data';
import type { CommandHost } from './run-program';
import type { StateReplay } from './state-replay';
import { describeFault, storedRange, VerifyProgress } from './verify-command';
import { verifyStore } from './verify-store';

export const REPAIR_USAGE = `npm run repair -- [--config FILE] [--from BLOCK --to BLOCK] [--json]

Verifies the store as npm run verify does, fetches the blocks that are wrong from the first node of ship.urls that has them,
compares each with its id and roots, replaces what is stored of it, and verifies it again. Only irreversible blocks are
replaced. The service may run and serve meanwhile.

With --from and --to all blocks of the range are replaced without being verified before.

Ctrl-C ends it after the blocks in progress. It may be interrupted or killed at any time and run again.
--json prints one JSON object per fault and one with the counts at the end.

Exit status: 0 nothing is wrong any more, 1 something is, 2 it could not run.
`;

/** Resolves with the exit status. Rejects as `runVerify`. */
export async function runRepair(host: CommandHost): Promise<number> {
  const options = parseCommandLine(host.args);
  if (options.help) {
    host.print(REPAIR_USAGE);
    return 0;
  }
  const config = loadConfig(host.environment, { file: options.config, uses: ['store', 'ship'] });
  requireData(config.store);
  const log = createLogger('repair', config.logLevel);
  const reader = await openStoreReader(config.store, log, host.signal);
  try {
    const repairer = await openStoreRepairer(config.store, log);
    try {
      return await new Repair({ reader, repairer, ship: config.ship }, options, host).run();
    } finally {
      await repairer.close();
    }
  } finally {
    await reader.close();
  }
}

interface CommandLine extends RequestedRange {
  config: string | undefined;
  json: boolean;
  help: boolean;
}

function parseCommandLine(args: string[]): CommandLine {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const options = { config: text, from: text, to: text, json: flag, help: flag };
  const values = parseOptions(args, options);
  if ((values.from === undefined) !== (values.to === undefined)) {
    throw new HistoryError('CONFIG_INVALID', 'the command line: give both --from and --to, or neither');
  }
  return { ...values, config: values.config, ...parseRange(values) };
}

interface RepairCounts {
  /** Blocks that were wrong, or are in the range that was given. */
  wrong: number;
  /** Blocks that were replaced, counted again when a later step replaces them again. */
  replaced: number;
  /** Blocks that no node has. */
  unavailable: number;
  /** Faults that are left. */
  faults: number;
}

class Repair {
  private readonly counts: RepairCounts = { wrong: 0, replaced: 0, unavailable: 0, faults: 0 };
  /** Whether no block was removed before its actions were replayed. */
  private isReplayWhole = true;

  constructor(
    private readonly parts: { reader: HistoryReader; repairer: StoreRepairer; ship: Config['ship'] },
    private readonly options: CommandLine,
    private readonly host: CommandHost,
  ) {}

  async run(): Promise<number> {
    if (this.options.from === undefined) await this.repairWrong();
    else await this.repairGiven();
    const { counts, host, options } = this;
    host.progress.close();
    const isInterrupted = host.signal.aborted;
    if (options.json) host.print(JSON.stringify({ ...counts, isInterrupted }));
    else host.print(describeCounts(counts));
    if (isInterrupted && !options.json) host.print('Interrupted; run it again');
    return counts.faults > 0 || counts.unavailable > 0 || isInterrupted ? 1 : 0;
  }

  /** Replaces the blocks of the range that was given, as far as they are irreversible. */
  private async repairGiven(): Promise<void> {
    const { from, to, lastIrreversible } = await storedRange(this.parts.reader, this.options);
    const last = Math.min(to, lastIrreversible);
    if (from > last)
      throw new HistoryError('CONFIG_INVALID', `block ${from} can still change: the last irreversible one is ${last}`);
    const blocks = new BlockRanges([[from, last]]);
    await this.replace(blocks);
    await this.verifyAgain(blocks);
  }

  private async repairWrong(): Promise<void> {
    const { reader } = this.parts;
    const { from, to } = await storedRange(reader, this.options);
    const view = new VerifyProgress(this.host.progress, { from, to });
    const { wrongBlocks, replay, hasSkippedBlocks } = await verifyStore(reader, {
      from,
      to,
      comparesPermissions: false,
      signal: this.host.signal,
      onFault: (fault) => this.show(fault),
      onBlock: (num, counts) => view.show(num, counts),
    });
    if (this.host.signal.aborted) return;
    this.isReplayWhole = !hasSkippedBlocks;
    const wrong = new BlockRanges(wrongBlocks);
    await this.replace(wrong);
    await this.verifyAgain(wrong, replay);
    // Permissions follow from actions that have to be right before.
    if (this.isReplayWhole && this.counts.faults === 0 && this.counts.unavailable === 0)
      await this.repairPermissions(replay, to);
  }

  private async repairPermissions(replay: StateReplay, to: number): Promise<void> {
    const wrong = new BlockRanges();
    for (const fault of await this.comparePermissions(replay, to)) {
      this.show(fault);
      const account = replay.accounts.get(fault.account ?? '');
      for (const { blockNum } of account?.permissions.values() ?? []) wrong.add(blockNum);
    }
    if (wrong.count === 0) return;
    await this.replace(wrong);
    this.fail(await this.comparePermissions(replay, to));
  }

  private async comparePermissions(replay: StateReplay, to: number): Promise<StoredFault[]> {
    const faults: StoredFault[] = [];
    const permissions = new PermissionVerifier(this.parts.reader, replay, to);
    await permissions.verify(this.host.signal, (fault) => void faults.push(fault));
    return faults;
  }

  private async replace(blocks: BlockRanges): Promise<void> {
    this.counts.wrong += blocks.count;
    const unavailable = await repairBlocks(blocks, {
      ...this.parts,
      signal: this.host.signal,
      onTrouble: (what) => this.host.progress.print(what),
      onReplaced: (count) => void (this.counts.replaced += count),
    });
    this.counts.unavailable += unavailable.count;
  }

  /** Verifies replaced blocks; what their actions set is added to `replay`. */
  private async verifyAgain(blocks: BlockRanges, replay?: StateReplay): Promise<void> {
    const { reader } = this.parts;
    const { signal } = this.host;
    for (const [from, to] of blocks.ranges) {
      if (signal.aborted) return;
      const faults: StoredFault[] = [];
      const onFault = (fault: StoredFault): void => void faults.push(fault);
      const options = { from, to, comparesPermissions: false, signal, onFault, onBlock: () => undefined };
      const { hasSkippedBlocks } = await verifyStore(reader, options);
      if (hasSkippedBlocks) this.isReplayWhole = false;
      this.fail(faults);
      if (faults.length > 0 || !replay) continue;
      for (let num = from; num <= to; num++) replay.apply(num, (await reader.getBlockTraces({ num })).transactions);
    }
  }

  /** Counts and shows faults that are left. */
  private fail(faults: readonly StoredFault[]): void {
    this.counts.faults += faults.length;
    for (const fault of faults) this.show(fault, 'still wrong: ');
  }

  private show(fault: StoredFault, prefix = ''): void {
    const { print, progress } = this.host;
    if (this.options.json) print(JSON.stringify(fault));
    else progress.print(`${prefix}${describeFault(fault)}`);
  }
}

function describeCounts({ wrong, replaced, unavailable, faults }: RepairCounts): string {
  return `${wrong} blocks to replace, ${replaced} replaced, ${unavailable} that no node has, ${faults} faults left`;
}
