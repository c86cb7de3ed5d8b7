import { TOPOLOGY, type Broker } from '@antelope-history/broker';
import type { SharedProgress } from '@antelope-history/key-value';
import type { RawBlock } from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
import type { Logger } from '@antelope-history/app-runtime';
import type { BlocksResult } from '@antelope-history/ship';
import { ChainPosition } from './chain-position';
import type { ReaderMetrics } from './reader-metrics';
import type { RetrySchedule } from './retry-schedule';
import { StreamPositionCounter } from './stream-position-counter';

export interface BlockPublisherDependencies {
  broker: Broker;
  log: Logger;
  metrics: ReaderMetrics;
  retries: RetrySchedule;
}

/** Publishes the raw blocks of all sessions: detects gaps and forks between them and gives each its stream position. */
export class BlockPublisher {
  readonly position = new ChainPosition();
  private readonly positions = new StreamPositionCounter();
  /** The chain that is indexed: the configured one, else the store's, else that of the first block that was published. */
  private indexedChainId: string | undefined;
  /** The chain id that the node of this session reports. */
  private nodeChainId: string | undefined;
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

  /** Continues at the store's committed position, with a new epoch of stream positions. */
  restart(progress: SharedProgress, chainId: string | undefined): void {
    this.indexedChainId = chainId;
    this.position.restart(progress);
    this.positions.beginEpoch(progress.sequence);
    this.restartRequired = false;
  }

  /** `nodeChainId`: the chain id of the node's status; EOSIO 2.0 sends none. */
  beginSession(nodeChainId: string | undefined): void {
    this.nodeChainId = nodeChainId;
  }

  /**
   * Publishes one result of the node; resolves when it is durable. `abi` is the session's ABI frame, `message` the result's own
   * bytes. Rejects with `BLOCK_GAP` when the block does not follow the last one, else as `Broker.publish`.
   */
  async publish(abi: string, result: BlocksResult, message: Buffer): Promise<void> {
    const { metrics, retries, log } = this.dependencies;
    metrics.heads.set(result.head.num);
    const block = result.thisBlock;
    if (!block) return;
    if (this.position.leavesGap(block, result.prevBlock)) {
      throw new HistoryError(
        'BLOCK_GAP',
        `the node sent block ${block.num} after ${this.position.last?.num ?? 'none'}, which it does not follow`,
      );
    }
    // Recorded before the block is durable, because the next message is compared with it. A failed publish requires a restart.
    if (this.position.passed(block, result.lastIrreversible) === 'fork') {
      metrics.forks.inc();
      log.info({ blockNum: block.num, blockId: block.id }, 'the chain forked');
    }
    const chainId = this.nodeChainId ?? this.indexedChainId;
    await this.publishMessage({ abi, message, chainId, streamPosition: this.positions.take() });
    this.indexedChainId ??= chainId;
    metrics.published(block.num, message.length);
    retries.published(block.num);
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
