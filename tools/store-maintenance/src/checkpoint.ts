import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type BlockPosition, HistoryError } from '@antelope-history/schemas';
import type { ListSection } from '@antelope-history/store';
import type { BlockRange } from './block-ranges';
import type { ReplayedAbi } from './abi-verifier';
import type { VerifiedCounts } from './chain-verifier';
import type { ReplayedAccount, ReplayedAuthority, StateReplay } from './state-replay';
import type { SequenceState } from './sequence-check';

/** Grows with every change of the lines. */
const VERSION = 2;

/** The range as it was given on the command line. */
export interface RequestedRange {
  from: number | undefined;
  to: number | undefined;
}

/** What a run has to remember to continue: it is as if the run had not been interrupted. */
export interface Checkpoint {
  chainId: string | undefined;
  range: RequestedRange;
  /** The first block verified, and the next one to verify. */
  from: number;
  next: number;
  counts: VerifiedCounts;
  /** The blocks to fetch again, for their contents or an ABI. */
  wrongBlocks: BlockRange[];
  /** Whether the contents of every block are right, so that the replay has all actions. */
  isReplayWhole: boolean;
  previous: BlockPosition | undefined;
  nextSequence: number | undefined;
  sequences: SequenceState;
  abis: Map<string, ReplayedAbi>;
  replay: StateReplay;
  lists: readonly ListSection[];
}

type Header = Omit<Checkpoint, 'sequences' | 'abis' | 'replay' | 'lists'> & { version: number; skipped: number };

/** A line of the file after the first one. */
type Line =
  | { received: [account: string, sequence: string] }
  | { abi: [account: string, blockNum: number, id: string | null] }
  | { section: ListSection }
  | { key: string }
  | { actor: string }
  | { account: [name: string, isWhole: boolean, permissions: [string, ReplayedAuthority][]] };

/**
 * Writes a checkpoint as lines of JSON; an earlier file of the name is replaced as a whole. Rejects with `CONFIG_INVALID` when it
 * cannot be written.
 */
export async function writeCheckpoint(file: string, checkpoint: Checkpoint): Promise<void> {
  await explained(file, async () => {
    await pipeline(Readable.from(linesOf(checkpoint)), createWriteStream(unfinished(file)));
    await rename(unfinished(file), file);
  });
}

/** A run that is killed, or that the store ends, loses the blocks of this time. */
const WRITE_EVERY_MS = 600_000;
/** A checkpoint of a large chain takes long: its writing takes at most this part of a run. */
const WRITING_SHARE = 0.05;

/** Writes the checkpoints of a run. */
export class CheckpointWriter {
  private dueAt = performance.now() + WRITE_EVERY_MS;

  constructor(
    private readonly file: string,
    private readonly facts: Pick<Checkpoint, 'chainId' | 'range'>,
  ) {}

  /** Rejects as `writeCheckpoint`. */
  write(current: Omit<Checkpoint, 'chainId' | 'range'>): Promise<void> {
    return writeCheckpoint(this.file, { ...current, ...this.facts });
  }

  /** Writes one at intervals. Rejects as `writeCheckpoint`. */
  async writeIfDue(current: () => Omit<Checkpoint, 'chainId' | 'range'>): Promise<void> {
    const begun = performance.now();
    if (begun < this.dueAt) return;
    await this.write(current());
    const ended = performance.now();
    this.dueAt = ended + Math.max(WRITE_EVERY_MS, (ended - begun) / WRITING_SHARE);
  }
}

/** Rejects with `CONFIG_INVALID` when `writeCheckpoint` could not create the file. */
export async function requireWritable(file: string): Promise<void> {
  await explained(file, async () => {
    await writeFile(unfinished(file), '');
    await rm(unfinished(file));
  });
}

function unfinished(file: string): string {
  return `${file}.new`;
}

async function explained(file: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new HistoryError('CONFIG_INVALID', `--checkpoint: ${file} cannot be written: ${why}`, { cause });
  }
}

export async function removeCheckpoint(file: string): Promise<void> {
  await rm(file, { force: true });
}

function* linesOf({ sequences, abis, replay, lists, ...facts }: Checkpoint): Generator<string> {
  const header: Header = { ...facts, version: VERSION, skipped: replay.skipped };
  yield `${JSON.stringify(header)}\n`;
  const line = (each: Line): string => `${JSON.stringify(each)}\n`;
  for (const [account, sequence] of sequences) yield line({ received: [account, sequence.toString()] });
  for (const [account, { blockNum, id }] of abis) yield line({ abi: [account, blockNum, id ?? null] });
  for (const section of lists) yield line({ section });
  for (const key of replay.keys) yield line({ key });
  for (const actor of replay.actors) yield line({ actor });
  for (const [name, { isWhole, permissions }] of replay.accounts) {
    yield line({ account: [name, isWhole, [...permissions]] });
  }
}

/** Reads a checkpoint into `replay`; undefined when there is no such file. Rejects with `CONFIG_INVALID` on any other file. */
export async function readCheckpoint(file: string, replay: StateReplay): Promise<Checkpoint | undefined> {
  if (!existsSync(file)) return undefined;
  try {
    return await readLines(file, replay);
  } catch (cause) {
    if (cause instanceof HistoryError) throw cause;
    throw new HistoryError('CONFIG_INVALID', `--checkpoint: ${file} is not a checkpoint of this program`, { cause });
  }
}

async function readLines(file: string, replay: StateReplay): Promise<Checkpoint> {
  const sequences: [string, bigint][] = [];
  const abis = new Map<string, ReplayedAbi>();
  const lists: ListSection[] = [];
  let header: Header | undefined;
  const input = createReadStream(file);
  try {
    for await (const text of createInterface({ input })) {
      if (!header) header = readHeader(file, text);
      else addLine(JSON.parse(text) as Line, { sequences, abis, replay, lists });
    }
  } finally {
    input.destroy();
  }
  if (!header) throw new HistoryError('CONFIG_INVALID', `--checkpoint: ${file} is empty`);
  replay.skipped = header.skipped;
  return { ...header, sequences, abis, replay, lists };
}

function readHeader(file: string, text: string): Header {
  const header = JSON.parse(text) as Header;
  if (header.version === VERSION) return header;
  if (typeof header.version !== 'number') throw new Error('the first line is not that of a checkpoint');
  throw new HistoryError(
    'CONFIG_INVALID',
    `--checkpoint: ${file} was written by another version: begin again without it`,
  );
}

function addLine(
  line: Line,
  into: Pick<Checkpoint, 'abis' | 'replay'> & { sequences: [string, bigint][]; lists: ListSection[] },
): void {
  const { sequences, abis, replay, lists } = into;
  if ('received' in line) sequences.push([line.received[0], BigInt(line.received[1])]);
  else if ('abi' in line) abis.set(line.abi[0], { blockNum: line.abi[1], id: line.abi[2] ?? undefined });
  else if ('section' in line) lists.push(line.section);
  else if ('key' in line) replay.keys.add(line.key);
  else if ('actor' in line) replay.actors.add(line.actor);
  else replay.restore(line.account[0], toAccount(line.account[1], line.account[2]));
}

function toAccount(isWhole: boolean, permissions: [string, ReplayedAuthority][]): ReplayedAccount {
  return { isWhole, permissions: new Map(permissions) };
}
