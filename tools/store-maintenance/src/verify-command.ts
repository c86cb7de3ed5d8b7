import { createLogger, loadConfig, parseOptions } from '@antelope-history/app-runtime';
import { openStoreReader } from '@antelope-history/open-store-reader';
import { ProgressMeter, type ProgressView } from '@antelope-history/quick-start/progress';
import { HistoryError } from '@antelope-history/schemas';
import { type HistoryReader, isRemovedBlock, type StoreReader } from '@antelope-history/store';
import type { StoredFault, VerifiedCounts } from './chain-verifier';
import {
  type Checkpoint,
  CheckpointWriter,
  readCheckpoint,
  removeCheckpoint,
  type RequestedRange,
  requireWritable,
} from './checkpoint';
import { parseRange } from './command-line';
import { ListVerifier } from './list-verifier';
import { requireData } from './require-data';
import type { CommandHost } from './run-program';
import { StateReplay } from './state-replay';
import { type Verification, verifyStore } from './verify-store';

export const USAGE = `npm run verify -- [--config FILE] [--from BLOCK] [--to BLOCK] [--checkpoint FILE] [--json]

Computes the ids and roots of stored blocks from what is stored of them, and compares: block ids and their links, the root and
the ids of transactions, the digest of each action, the root of the receipts of all actions, and the sequences that have no
gap. It also replays the stored actions that set ABIs and permissions, and compares the stored ABI versions and what the
searches of accounts by key and by controlling account find. In an embedded store it compares the lists by which actions and
transactions are found with the blocks. The service may run meanwhile.

Without --from and --to: from the first block to the last irreversible one. With --to below it, permissions are not compared,
because only their state of now is stored.

Ctrl-C ends it after the last whole block; the last line says with which --from it continues. With --checkpoint FILE it
writes FILE then and every ten minutes, and the same command continues from there as if it had not been interrupted; FILE is
removed at the end.
--json prints one JSON object per fault and one with the counts at the end.

Exit status: 0 nothing is wrong, 1 something is or it was interrupted, 2 it could not run.
`;

const PROGRESS_EVERY_MS = 250;

/**
 * Resolves with the exit status. Rejects with `CONFIG_INVALID` on a wrong command line or configuration, or with the errors of
 * the store.
 */
export async function runVerify(host: CommandHost): Promise<number> {
  const options = parseCommandLine(host.args);
  if (options.help) {
    host.print(USAGE);
    return 0;
  }
  const config = loadConfig(host.environment, { file: options.config, uses: ['store'] });
  requireData(config.store);
  const reader = await openStoreReader(config.store, createLogger('verify', config.logLevel), host.signal);
  try {
    return await verifyRange(reader, options, host);
  } finally {
    await reader.close();
  }
}

interface CommandLine extends RequestedRange {
  config: string | undefined;
  checkpoint: string | undefined;
  json: boolean;
  help: boolean;
}

function parseCommandLine(args: string[]): CommandLine {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const options = { config: text, from: text, to: text, checkpoint: text, json: flag, help: flag };
  const values = parseOptions(args, options);
  if (values.checkpoint === '') throw new HistoryError('CONFIG_INVALID', 'name a file: --checkpoint FILE');
  return { ...values, config: values.config, checkpoint: values.checkpoint, ...parseRange(values) };
}

async function verifyRange(reader: StoreReader, options: CommandLine, host: CommandHost): Promise<number> {
  const { print, progress, signal } = host;
  const { from, to, lastIrreversible } = await storedRange(reader, options);
  const checkpoint = await findCheckpoint(reader, options);
  if (options.checkpoint !== undefined) await requireWritable(options.checkpoint);
  const view = new VerifyProgress(progress, { from, to });
  const checkpoints = await openCheckpoints(reader, options);
  const verification = await verifyStore(reader, {
    from,
    to,
    checkpoint,
    comparesPermissions: to >= lastIrreversible,
    lists: new ListVerifier(reader, checkpoint?.lists),
    signal,
    onFault: (fault) => (options.json ? print(JSON.stringify(fault)) : progress.print(describeFault(fault))),
    onBlock: (num, current) => view.show(num, current),
    afterBlock: checkpoints && ((current) => checkpoints.writeIfDue(current)),
  });
  progress.close();
  if (options.json) print(describeInJson(verification, to >= lastIrreversible));
  else for (const line of describeVerification(verification)) print(line);
  await settleCheckpoint(checkpoints, options, verification, print);
  return verification.counts.faults > 0 || !verification.isComplete ? 1 : 0;
}

function describeInJson(verification: Verification, comparesPermissions: boolean): string {
  const { from, next, counts, replay, isReplayWhole, isComplete } = verification;
  return JSON.stringify({
    from,
    to: next - 1,
    ...counts,
    permissionsSkipped: replay.skipped,
    arePermissionsCompared: isReplayWhole && comparesPermissions,
    isComplete,
  });
}

function describeVerification({ from, next, counts, replay, isReplayWhole }: Verification): string[] {
  const lines = [describeCounts(counts, { from, to: next - 1 })];
  if (replay.skipped > 0) lines.push(`${replay.skipped} changes of permissions were too many to compare`);
  if (!isReplayWhole) {
    const why =
      counts.faults > 0
        ? 'the actions that set them may be in wrong blocks: npm run repair'
        : 'the store removed old blocks before they were verified';
    lines.push(`Permissions were not compared, because ${why}`);
  }
  return lines;
}

/**
 * The blocks to verify, which are stored. Rejects with `STORE_UNAVAILABLE` when none is, and with `CONFIG_INVALID` when none is in
 * the range that was asked for.
 */
export async function storedRange(
  reader: HistoryReader,
  { from, to }: RequestedRange,
): Promise<{ from: number; to: number; lastIrreversible: number }> {
  const { firstBlockNum, committed, lastIrreversible } = await reader.getStatus();
  if (firstBlockNum === undefined || !committed) throw new HistoryError('STORE_UNAVAILABLE', 'the store is empty');
  const irreversible = Math.min(lastIrreversible?.num ?? committed.num, committed.num);
  const range = {
    from: Math.max(from ?? firstBlockNum, firstBlockNum),
    to: Math.min(to ?? irreversible, committed.num),
  };
  if (range.from > range.to && (from !== undefined || to !== undefined)) {
    const stored = `${firstBlockNum} to ${committed.num}, of which ${irreversible} is irreversible`;
    throw new HistoryError('CONFIG_INVALID', `no block is from --from to --to: the store has the blocks ${stored}`);
  }
  return { ...range, lastIrreversible: irreversible };
}

/** The checkpoint to continue from; rejects with `CONFIG_INVALID` when it is of another range or of another store. */
async function findCheckpoint(reader: HistoryReader, options: CommandLine): Promise<Checkpoint | undefined> {
  if (options.checkpoint === undefined) return undefined;
  const checkpoint = await readCheckpoint(options.checkpoint, new StateReplay());
  if (!checkpoint) return undefined;
  const { range, previous } = checkpoint;
  if (range.from !== options.from || range.to !== options.to) {
    throw new HistoryError('CONFIG_INVALID', '--checkpoint: the file is of a run with another --from or --to');
  }
  const { status, block } = await reader.getBlock(previous ? { id: previous.id } : { num: checkpoint.from });
  const isMissing = previous !== undefined && !block && !isRemovedBlock(previous.num, status);
  if (status.chainId !== checkpoint.chainId || isMissing) {
    throw new HistoryError('CONFIG_INVALID', '--checkpoint: the file is of another store: name another file');
  }
  return checkpoint;
}

async function openCheckpoints(
  reader: HistoryReader,
  { checkpoint: file, from, to }: CommandLine,
): Promise<CheckpointWriter | undefined> {
  if (file === undefined) return undefined;
  const { chainId } = await reader.getStatus();
  return new CheckpointWriter(file, { chainId, range: { from, to } });
}

/** Writes the checkpoint of an interrupted run, and removes that of a complete one. */
async function settleCheckpoint(
  checkpoints: CheckpointWriter | undefined,
  { checkpoint: file, json }: CommandLine,
  verification: Verification,
  print: (line: string) => void,
): Promise<void> {
  if (verification.isComplete) {
    if (file !== undefined) await removeCheckpoint(file);
    return;
  }
  await checkpoints?.write(verification);
  if (json) return;
  print(
    file === undefined
      ? `Interrupted, not finished; continue with --from ${verification.next}`
      : 'Interrupted, not finished; the same command continues',
  );
}

/** Shows progress at most every PROGRESS_EVERY_MS. */
export class VerifyProgress {
  private readonly meter = new ProgressMeter();
  private shownAtMs = 0;

  constructor(
    private readonly view: ProgressView,
    private readonly range: { from: number; to: number },
  ) {}

  show(block: number, { blocks, actions }: Readonly<VerifiedCounts>): void {
    const atMs = Date.now();
    if (atMs - this.shownAtMs < PROGRESS_EVERY_MS) return;
    this.shownAtMs = atMs;
    const { from: firstBlock, to: target } = this.range;
    this.view.show(this.meter.measure({ atMs, block, blocks, actions }, { firstBlock, target }));
  }
}

export function describeFault({ blockNum, code, detail }: StoredFault): string {
  return `block ${blockNum}: ${code}: ${detail}`;
}

function describeCounts(
  { blocks, actions, provedBlocks, faults }: VerifiedCounts,
  { from, to }: { from: number; to: number },
): string {
  const unproved = blocks - provedBlocks;
  return (
    `blocks ${from} to ${to}: ${blocks} verified, ${actions} traces, ${faults} faults` +
    (unproved > 0 ? ` (${unproved} blocks have no root for their actions)` : '')
  );
}
