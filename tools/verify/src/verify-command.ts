import { parseArgs } from 'node:util';
import { createLogger, loadConfig } from '@antelope-history/app-runtime';
import { openStoreReader } from '@antelope-history/open-store-reader';
import { ProgressMeter, type ProgressView } from '@antelope-history/quick-start/progress';
import { HistoryError, MAX_BLOCK_NUM } from '@antelope-history/schemas';
import type { HistoryReader } from '@antelope-history/store';
import type { StoredFault, VerifiedCounts } from './chain-verifier';
import { verifyStore } from './verify-store';

export const USAGE = `npm run verify -- [--config FILE] [--from BLOCK] [--to BLOCK] [--json]

Computes the ids and roots of stored blocks from what is stored of them, and compares: block ids and their links, the root and
the ids of transactions, the digest of each action, the root of the receipts of all actions, and the sequences that have no
gap. The service may run meanwhile. Without --from and --to: from the first block to the last irreversible one.

Ctrl-C ends it after the block in progress; the last line says with which --from it continues.
--json prints one JSON object per fault and one with the counts at the end.

Exit status: 0 nothing is wrong, 1 something is, 2 it could not run.
`;

/** The parts of the process that the command uses. */
export interface CommandHost {
  args: string[];
  environment: NodeJS.ProcessEnv;
  /** Standard output. */
  print(line: string): void;
  progress: ProgressView;
  /** Aborts at Ctrl-C. */
  signal: AbortSignal;
}

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
  const file = options.config === undefined ? [] : ['--config', options.config];
  const config = loadConfig(file, host.environment, { uses: ['store'] });
  const reader = await openStoreReader(config.store, createLogger('verify', config.logLevel));
  try {
    return await verifyRange(reader, options, host);
  } finally {
    await reader.close();
  }
}

interface CommandLine {
  config: string | undefined;
  from: number | undefined;
  to: number | undefined;
  json: boolean;
  help: boolean;
}

function parseCommandLine(args: string[]): CommandLine {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  try {
    const { values } = parseArgs({ args, options: { config: text, from: text, to: text, json: flag, help: flag } });
    return {
      ...values,
      config: values.config,
      from: values.from === undefined ? undefined : parseBlockNum('--from', values.from),
      to: values.to === undefined ? undefined : parseBlockNum('--to', values.to),
    };
  } catch (error) {
    if (error instanceof HistoryError) throw error;
    throw new HistoryError('CONFIG_INVALID', `the command line: ${(error as Error).message}`, { cause: error });
  }
}

function parseBlockNum(option: string, text: string): number {
  const num = /^[0-9]{1,10}$/.test(text) ? Number(text) : NaN;
  if (num <= MAX_BLOCK_NUM) return num;
  throw new HistoryError('CONFIG_INVALID', `${option}: must be a block number from 0 to ${MAX_BLOCK_NUM}`);
}

async function verifyRange(reader: HistoryReader, options: CommandLine, host: CommandHost): Promise<number> {
  const { print, progress, signal } = host;
  const { firstBlockNum, committed, lastIrreversible } = await reader.getStatus();
  if (firstBlockNum === undefined || !committed) throw new HistoryError('STORE_UNAVAILABLE', 'the store is empty');
  const from = Math.max(options.from ?? firstBlockNum, firstBlockNum);
  const to = Math.min(options.to ?? lastIrreversible?.num ?? committed.num, committed.num);
  const view = new VerifyProgress(progress, to);
  const { counts, next } = await verifyStore(reader, {
    from,
    to,
    signal,
    onFault: (fault) => (options.json ? print(JSON.stringify(fault)) : progress.print(describeFault(fault))),
    onBlock: (num, current) => view.show(num, current),
  });
  progress.close();
  const range = { from, to: next - 1 };
  print(options.json ? JSON.stringify({ ...range, ...counts }) : describeCounts(counts, range));
  if (next <= to && !options.json) print(`Interrupted; continue with --from ${next}`);
  return counts.faults > 0 ? 1 : 0;
}

/** Shows progress at most every PROGRESS_EVERY_MS. */
class VerifyProgress {
  private readonly meter = new ProgressMeter();
  private shownAtMs = 0;

  constructor(
    private readonly view: ProgressView,
    private readonly to: number,
  ) {}

  show(block: number, { blocks, actions }: Readonly<VerifiedCounts>): void {
    const atMs = Date.now();
    if (atMs - this.shownAtMs < PROGRESS_EVERY_MS) return;
    this.shownAtMs = atMs;
    this.view.show(this.meter.measure({ atMs, block, blocks, actions }, this.to));
  }
}

function describeFault({ blockNum, code, detail }: StoredFault): string {
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
