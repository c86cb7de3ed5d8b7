import { setTimeout as sleep } from 'node:timers/promises';
import { TOPOLOGY, type Broker, type RefetchRequest, type Subscription } from '@antelope-history/broker';
import { Backoff } from '@antelope-history/connections';
import type { KeyValue } from '@antelope-history/key-value';
import type { RawBlock } from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
import type { Config, Logger, Registry } from '@antelope-history/service';
import { AckWindow, END_OF_CHAIN, type BlocksResult, type ShipStatus } from '@antelope-history/ship';
import { ChainPosition, firstBlockOf } from './chain-position';
import { MessagePublisher } from './message-publisher';
import { waitForProgress } from './progress-wait';
import { createReaderMetrics, isRefusal, type ReaderMetrics } from './reader-metrics';
import { ShipSession } from './ship-session';
import { ViewCounter } from './view-counter';

export interface ReaderDependencies {
  config: Pick<Config, 'ship' | 'chainId'>;
  broker: Broker;
  keyValue: KeyValue;
  log: Logger;
  registry: Registry;
  /**
   * Called when going on can't help: the broker refuses us for good. Nothing that a node says or sends is such a reason: a
   * process that serves clients must not end by it.
   */
  fail(error: unknown): void;
}

export interface Reader {
  stop(): Promise<void>;
}

const MOST_BLOCKS_UNDER_WAY = TOPOLOGY.rawBlocks.maxMessages + TOPOLOGY.blockRecords.maxMessages;

/**
 * Starts reading a chain: from where the store stands, over and over, from whichever of the configured nodes answers.
 * It passes on what the node sends and looks into no more of it than numbers and ids.
 */
export async function startReader(dependencies: ReaderDependencies): Promise<Reader> {
  const reader = new ReaderLoop(dependencies);
  await reader.start();
  return reader;
}

class ReaderLoop implements Reader {
  private readonly metrics: ReaderMetrics;
  private readonly backoff: Backoff;
  private readonly position = new ChainPosition();
  private readonly views = new ViewCounter();
  /** The chain that is indexed: the configured one, or the store's, or that of the first block that was passed on. */
  private chainId: string | undefined;
  /** What the node that is read says it is on. */
  private nodeChainId: string | undefined;
  private session: ShipSession | undefined;
  private publisher: MessagePublisher | undefined;
  private refetches: Subscription | undefined;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;
  private readonly stopping = new Stop();
  /** Later stages could not use what came: go on from the store's own record. */
  private restart = true;
  /** The committed head at which the last refetch found the store; the tries to get past it grow apart. */
  private stuckAt: number | undefined;
  private isRefetch = false;
  private refusalOfBroker: HistoryError | undefined;

  constructor(private readonly dependencies: ReaderDependencies) {
    const { reconnectMinSeconds, reconnectMaxSeconds } = dependencies.config.ship;
    this.metrics = createReaderMetrics(dependencies.registry);
    this.backoff = new Backoff(reconnectMinSeconds * 1000, reconnectMaxSeconds * 1000);
  }

  async start(): Promise<void> {
    this.refetches = await this.dependencies.broker.consume<RefetchRequest>(TOPOLOGY.refetch, (delivery) => {
      this.refetch(delivery.message);
      delivery.acknowledge();
    });
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.stopping.raise();
    this.session?.close(new HistoryError('STOPPED', 'the reader stops'));
    await this.refetches?.cancel();
    await this.running;
  }

  private refetch(request: RefetchRequest): void {
    this.dependencies.log.warn({ code: request.code, blockNum: request.fromBlock }, `read again: ${request.reason}`);
    this.metrics.refetches.inc();
    this.restart = true;
    this.isRefetch = true;
    const code = isRefusal(request.code) ? request.code : 'SHIP_MESSAGE_CORRUPT';
    this.session?.close(new HistoryError(code, request.reason));
  }

  private async run(): Promise<void> {
    const { urls } = this.dependencies.config.ship;
    for (let attempt = 0; !this.stopped; attempt++) {
      const url = urls[attempt % urls.length] as string;
      try {
        if (this.restart) await this.goOnFromStore();
        if (this.isStopped()) return;
        await this.readFrom(url);
      } catch (error) {
        await Promise.race([this.publisher?.idle(), this.stopping.raised]);
        if (this.isStopped()) return;
        if (error === this.refusalOfBroker) {
          this.dependencies.fail(error);
          return;
        }
        await this.waitAfter(error, url);
      }
    }
  }

  /** Asked anew: it changes while others are awaited. */
  private isStopped(): boolean {
    return this.stopped;
  }

  /** The next of the nodes is tried after a wait that grows with each, whether this one went away or was refused. */
  private async waitAfter(error: unknown, url: string): Promise<void> {
    const code = error instanceof HistoryError ? error.code : 'SHIP_DISCONNECTED';
    const why = error instanceof Error ? error.message : String(error);
    const waitMs = this.backoff.next();
    this.metrics.ended(code);
    const what = isRefusal(code) ? 'the node is refused' : 'state history is away';
    this.dependencies.log.warn(
      { code, url: withoutCredentials(url), waitSeconds: waitMs / 1000, blockNum: this.position.last?.num },
      `${what}: ${why}; trying again in ${(waitMs / 1000).toFixed(1)} s`,
    );
    await sleep(waitMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }

  private async goOnFromStore(): Promise<void> {
    const { keyValue, log } = this.dependencies;
    const progress = await waitForProgress(keyValue, log, this.stopping.signal);
    if (!progress) return;
    this.chainId = this.dependencies.config.chainId ?? progress.chainId;
    this.position.restart(progress);
    this.views.beginSession(progress.ordinal);
    this.restart = false;
    const committed = progress.committed?.num ?? 0;
    if (this.stuckAt !== undefined && committed > this.stuckAt) this.backoff.reset();
    if (this.isRefetch) this.stuckAt = committed;
    this.isRefetch = false;
  }

  /** A message that is passed on proves little while the block that would not do may still be under way behind it. */
  private isPastTrouble(blockNum: number): boolean {
    return this.stuckAt === undefined || blockNum > this.stuckAt + MOST_BLOCKS_UNDER_WAY;
  }

  /** Reads until the socket ends; rejects with the reason. */
  private readFrom(url: string): Promise<never> {
    return new Promise((_, reject) => {
      const { config } = this.dependencies;
      const window = new AckWindow(config.ship.maxMessagesInFlight);
      const session = new ShipSession(
        { url, caFile: config.ship.caFile, maxMessageBytes: config.ship.maxMessageBytes },
        {
          onBlocks: (result, message) => publisher.add(result, message),
          onEnd: (reason) => {
            publisher.close();
            reject(reason);
          },
        },
      );
      const publisher = new MessagePublisher(session, window, config.ship.maxBytesInFlight, (result, message) =>
        this.publish(session.abiFrame, result, message),
      );
      this.session = session;
      this.publisher = publisher;
      session
        .open()
        .then((status) => this.requestBlocks(session, url, status))
        .catch((error: unknown) => session.close(error as HistoryError));
    });
  }

  private requestBlocks(session: ShipSession, url: string, status: ShipStatus): void {
    const { config, log } = this.dependencies;
    this.checkChain(status);
    const startBlock = this.startBlock(status);
    log.info({ url: withoutCredentials(url), startBlock, head: status.head.num }, 'reading state history');
    this.metrics.began();
    session.request({
      startBlock,
      endBlock: END_OF_CHAIN,
      maxMessagesInFlight: config.ship.maxMessagesInFlight,
      havePositions: this.position.havePositions(),
      irreversibleOnly: false,
    });
  }

  /** The next block of the chain. A node that does not go back as far is of no use, the next may be. */
  private startBlock(status: ShipStatus): number {
    const last = this.position.last;
    const first = firstBlockOf(status);
    if (!last) return this.dependencies.config.ship.startBlock || first;
    const next = last.num + 1;
    if (first > next) {
      throw new HistoryError(
        'BLOCK_GAP',
        `the node's history begins at block ${first}, the next one needed is ${next}: name a node in ship.urls that has it`,
      );
    }
    return next;
  }

  /**
   * Refuses another chain. EOSIO 2.0 does not say which chain it is on; then block ids have to match. While no chain is known,
   * any is taken, and none is held against the next node before a block of it was passed on.
   */
  private checkChain(status: ShipStatus): void {
    this.nodeChainId = status.chainId;
    if (status.chainId === undefined) return;
    if (this.chainId !== undefined && status.chainId !== this.chainId) {
      throw new HistoryError(
        'CHAIN_ID_MISMATCH',
        `the node is on chain ${status.chainId}, this service indexes ${this.chainId}: ` +
          'connect to a node of that chain, or use another data directory',
      );
    }
  }

  private async publish(abi: string, result: BlocksResult, message: Buffer): Promise<void> {
    this.metrics.heads.set(result.head.num);
    const block = result.thisBlock;
    if (!block) return;
    if (this.position.leavesGap(block, result.prevBlock)) {
      throw new HistoryError(
        'BLOCK_GAP',
        `the node sent block ${block.num} after ${this.position.last?.num ?? 'none'}, which it does not follow`,
      );
    }
    // Before it is durable: the next message is held against it. When it fails, the reader goes on from the store.
    if (this.position.passed(block, result.lastIrreversible) === 'fork') {
      this.metrics.forks.inc();
      this.dependencies.log.info({ blockNum: block.num, blockId: block.id }, 'the chain forked');
    }
    const chainId = this.nodeChainId ?? this.chainId;
    await this.publishMessage({ abi, message, chainId, view: this.views.take() });
    this.chainId ??= chainId;
    this.metrics.published(block.num, message.length);
    if (this.isPastTrouble(block.num)) {
      this.backoff.reset();
      this.stuckAt = undefined;
    }
  }

  /** Whether a message whose publishing failed went out is not known: only the store can say where to go on. */
  private async publishMessage(message: RawBlock): Promise<void> {
    try {
      await this.dependencies.broker.publish(TOPOLOGY.rawBlocks, message);
    } catch (error) {
      this.restart = true;
      if (error instanceof HistoryError && !error.retryable) this.refusalOfBroker = error;
      throw error;
    }
  }
}

/** The end of the reader, to be waited for. */
class Stop {
  private readonly controller = new AbortController();
  readonly signal = this.controller.signal;
  readonly raised = new Promise<void>((resolve) => this.signal.addEventListener('abort', () => resolve()));

  raise(): void {
    this.controller.abort();
  }
}

/** A URL as logs may show it. */
function withoutCredentials(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}
