import type { Config } from '@antelope-history/app-runtime';
import { BlockProver, provableRecords } from '@antelope-history/block-proof';
import { deserializeBlock } from '@antelope-history/deserialize';
import { ShipSession, SilenceWatch } from '@antelope-history/reader-stage';
import type { BlockRecords } from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
import { type BlocksResult, createShipProtocol, type ShipStatus } from '@antelope-history/ship';
import type { BlockRange } from './block-ranges';

/** Blocks that a node may send ahead of their repair. */
const MAX_IN_FLIGHT = 8;
/** A node that sends no block, and no considerable part of one, for this time is given up. */
const SILENCE_LIMIT_MS = 30_000;
/** The nodes' logs of a chain that began with its genesis have no traces of block 1. */
const FIRST_LOGGED_BLOCK = 2;

/** A node, and the chain whose blocks it is asked for. */
export interface BlockSource {
  ship: Config['ship'];
  url: string;
  chainId: string | undefined;
  /** Aborts to end at once, also while the node sends nothing. */
  signal: AbortSignal;
}

/**
 * Requests irreversible blocks from a node and yields those that equal the ids and roots in their headers, ascending. Throws
 * when the node cannot be reached, is on another chain (`CHAIN_ID_MISMATCH`), does not have the blocks (`SHIP_DATA_MISSING`),
 * sends an altered one (`BLOCK_ALTERED`), or none for `silenceMs` (`SHIP_SILENT`), and when `signal` aborts (`STOPPED`).
 */
export async function* fetchBlocks(
  { ship, url, chainId, signal }: BlockSource,
  range: BlockRange,
  silenceMs = SILENCE_LIMIT_MS,
): AsyncGenerator<BlockRecords> {
  if (signal.aborted) throw interrupted();
  const [first, last] = range;
  const messages = new MessageQueue();
  const session = new ShipSession(
    { url, caFile: ship.caFile, maxMessageBytes: ship.maxMessageBytes },
    {
      // The message's buffer is the caller's to keep: the socket makes one for each.
      onBlocks: (result) => {
        silence.heard();
        messages.add(result);
      },
      onEnd: (reason) => messages.end(reason),
    },
  );
  const silence = new SilenceWatch(
    silenceMs,
    () => session.isRequested && messages.isAwaited,
    () => session.close(new HistoryError('SHIP_SILENT', `the node has sent no block for ${silenceMs / 1000} seconds`)),
    () => session.receivedBytes,
  );
  const interrupt = (): void => session.close(interrupted());
  signal.addEventListener('abort', interrupt);
  try {
    const status = await session.open();
    assertHas(status, range, chainId);
    session.request({
      startBlock: first,
      endBlock: last + 1,
      maxMessagesInFlight: MAX_IN_FLIGHT,
      havePositions: [],
      irreversibleOnly: false,
    });
    const protocol = createShipProtocol(session.abiFrame);
    const prover = new BlockProver();
    for (let num = first; num <= last; num++) {
      const result = await messages.next();
      if (result.thisBlock?.num !== num) throw missing(`block ${num}`);
      const records = deserializeBlock(result, protocol, { chainId: status.chainId, streamPosition: NO_POSITION });
      assertProved(records, prover);
      yield records;
      session.acknowledge(1);
    }
  } finally {
    silence.stop();
    signal.removeEventListener('abort', interrupt);
    session.close(new HistoryError('STOPPED', 'all blocks are fetched'));
  }
}

/** A repaired block is not part of a reader's stream. */
const NO_POSITION = { epoch: 0, sequence: 0 };

function assertHas(status: ShipStatus, [first, last]: BlockRange, chainId: string | undefined): void {
  if (status.chainId !== undefined && chainId !== undefined && status.chainId !== chainId) {
    throw new HistoryError('CHAIN_ID_MISMATCH', `the node is on chain ${status.chainId}, the store holds ${chainId}`);
  }
  const begin = Math.max(status.traceBegin, status.chainStateBegin);
  const end = Math.min(status.traceEnd, status.chainStateEnd, status.lastIrreversible.num + 1);
  if (begin <= Math.max(first, FIRST_LOGGED_BLOCK) && last < end) return;
  throw missing(`blocks ${first} to ${last}; it has the irreversible ones from ${begin} to ${end - 1}`);
}

function interrupted(): HistoryError {
  return new HistoryError('STOPPED', 'the program was interrupted');
}

function missing(what: string): HistoryError {
  return new HistoryError('SHIP_DATA_MISSING', `the node does not have ${what}`);
}

function assertProved(records: BlockRecords, prover: BlockProver): void {
  const block = provableRecords(records);
  if (!block) return;
  const [fault] = prover.prove(block).faults;
  if (!fault) return;
  const { num } = records.position;
  throw new HistoryError('BLOCK_ALTERED', `block ${num} differs from its header: ${fault.code}: ${fault.detail}`);
}

/** The results of a session in their order; at most `MAX_IN_FLIGHT` are held, because no more are sent. */
class MessageQueue {
  private readonly held: BlocksResult[] = [];
  private ended: HistoryError | undefined;
  private wake: (() => void) | undefined;

  /** Whether the next result is waited for. */
  get isAwaited(): boolean {
    return this.wake !== undefined;
  }

  add(result: BlocksResult): void {
    this.held.push(result);
    this.wake?.();
  }

  end(reason: HistoryError): void {
    this.ended = reason;
    this.wake?.();
  }

  async next(): Promise<BlocksResult> {
    if (this.held.length === 0 && !this.ended) await new Promise<void>((resolve) => (this.wake = resolve));
    this.wake = undefined;
    const result = this.held.shift();
    if (result) return result;
    throw this.ended as HistoryError;
  }
}
