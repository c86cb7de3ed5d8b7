import { TOPOLOGY, type Broker } from '@antelope-history/broker';
import type { SharedProgress } from '@antelope-history/key-value';
import type { RawBlock } from '@antelope-history/records';
import { type BlockPosition, HistoryError } from '@antelope-history/schemas';
import type { Logger } from '@antelope-history/app-runtime';
import { assertWhole, type BlocksResult } from '@antelope-history/ship';
import { ChainPosition } from './chain-position';
import { requirePossiblePositions } from './possible-positions';
import type { ReaderMetrics } from './reader-metrics';
import type { RetrySchedule } from './retry-schedule';
import { StreamPositionCounter } from './stream-position-counter';

export interface BlockPublisherDependencies {
  broker: Broker;
  log: Logger;
  metrics: ReaderMetrics;
  retries: RetrySchedule;
}

/** One block of a session, as it is published. */
interface ReadBlock {
  abi: string;
  block: BlockPosition;
  message: Buffer;
}

/** Publishes the raw blocks of all sessions: detects gaps and forks between them and gives each its stream position. */
export class BlockPublisher {
  readonly position = new ChainPosition();
  private readonly streamPositions = new StreamPositionCounter();
  /** The chain that is indexed: the configured one, else the store's, else that of the first block that was published. */
  private indexedChainId: string | undefined;
  /** The chain id that the node of this session reports; EOSIO 2.0 reports none. */
  private nodeChainId: string | undefined;
  /**
   * The first block of an empty store, if it came without deltas. It is held until the next block arrives: EOSIO 2.0 sends the
   * whole state of genesis with block 2 (nodeos state_history_plugin: store_chain_state), while a node that keeps no chain state
   * sends that block without deltas, too.
   */
  private held: ReadBlock | undefined;
  private restartRequired = true;
  private refusal: HistoryError | undefined;

  constructor(private readonly dependencies: BlockPublisherDependencies) {}

  get chainId(): string | undefined {
    return this.indexedChainId;
  }

  /** Whether the next session has to start at the store's committed position instead of the last published block. */
  get needsRestart(): boolean {
    return this.restartRequired;
  }

  /** The error with which the broker refused a message for good, if it did. */
  get finalError(): HistoryError | undefined {
    return this.refusal;
  }

  requireRestart(): void {
    this.restartRequired = true;
  }

  /**
   * Continues at the store's committed position, with a new epoch of stream positions, which is returned. `lastEpoch`: the newest
   * epoch of any reader, 0 if it is not known.
   */
  restart(progress: SharedProgress, chainId: string | undefined, lastEpoch: number): number {
    this.indexedChainId = chainId;
    this.position.restart(progress);
    this.restartRequired = false;
    return this.streamPositions.beginEpoch(progress.sequence, lastEpoch);
  }

  /** `nodeChainId`: the chain id of the node's status. */
  beginSession(nodeChainId: string | undefined): void {
    this.nodeChainId = nodeChainId;
    this.held = undefined;
  }

  /**
   * Publishes one result of the node; resolves when it is durable, or held until the next one. `abi` is the session's ABI frame,
   * `message` the result's own bytes. Rejects with `BLOCK_GAP` when the block does not follow the last one, with
   * `SHIP_DATA_MISSING` when the node left out a part of it, with `SHIP_MESSAGE_CORRUPT` when its positions are impossible, with
   * `FORK_TOO_DEEP` when it contradicts an irreversible block, else as `Broker.publish`.
   */
  async publish(abi: string, result: BlocksResult, message: Buffer): Promise<void> {
    requirePossiblePositions(result);
    this.dependencies.metrics.heads.set(result.head.num);
    const block = result.thisBlock;
    if (!block) return;
    this.check(result, block);
    const next: ReadBlock = { abi, block, message };
    const { held } = this;
    if (!this.position.last && !held && !result.deltas) {
      this.held = next;
      return;
    }
    this.held = undefined;
    await Promise.all([held && this.publishNext(held), this.publishNext(next)]);
  }

  private async publishNext({ abi, block, message }: ReadBlock): Promise<void> {
    const { metrics, retries, log } = this.dependencies;
    // Recorded before the block is durable, because the next message is compared with it. A failed publish requires a restart.
    if (this.position.passed(block) === 'fork') {
      metrics.forks.inc();
      log.info({ blockNum: block.num, blockId: block.id }, 'the chain forked');
    }
    const chainId = this.nodeChainId ?? this.indexedChainId;
    await this.publishMessage({ abi, message, chainId, streamPosition: this.streamPositions.take() });
    this.indexedChainId ??= chainId;
    metrics.published(block.num, message.length);
    retries.published(block.num);
  }

  /** Throws when a block cannot come next, with the errors that `publish` describes. */
  private check(result: BlocksResult, block: BlockPosition): void {
    const { metrics } = this.dependencies;
    // The first block of the history may lack parts: genesis has no traces, a snapshot has neither block nor traces.
    if (this.position.last ?? this.held) assertWhole(result, block.num);
    if (this.held && result.prevBlock?.id !== this.held.block.id) {
      throw new HistoryError('BLOCK_GAP', `the node sent block ${block.num}, which does not follow its first one`);
    }
    if (this.position.contradicts(block)) {
      throw new HistoryError(
        'FORK_TOO_DEEP',
        `the node's block ${block.num} is ${block.id}, another one is stored and irreversible: the node is on another chain ` +
          'or on a branch of it that the chain has left; name another node in ship.urls, or use another store',
      );
    }
    if (this.position.goesBackTooFew(block)) {
      metrics.forks.inc();
      throw new HistoryError(
        'BLOCK_GAP',
        `the chain forked below block ${block.num}: reading again from the blocks before`,
      );
    }
    if (this.position.leavesGap(block, result.prevBlock)) {
      throw new HistoryError(
        'BLOCK_GAP',
        `the node sent block ${block.num} after ${this.position.last?.num ?? 'none'}, which it does not follow`,
      );
    }
  }

  /** A failed publish may still have stored the message, so only the store knows where to continue. */
  private async publishMessage(message: RawBlock): Promise<void> {
    try {
      await this.dependencies.broker.publish(TOPOLOGY.rawBlocks, message);
    } catch (error) {
      this.restartRequired = true;
      if (error instanceof HistoryError && !error.retryable) this.refusal = error;
      throw error;
    }
  }
}
