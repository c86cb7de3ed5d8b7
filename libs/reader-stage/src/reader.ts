import { setTimeout as sleep } from 'node:timers/promises';
import { TOPOLOGY, type Broker, type RefetchRequest, type Subscription } from '@antelope-history/broker';
import { Backoff } from '@antelope-history/connections';
import type { KeyValue } from '@antelope-history/key-value';
import type { RawBlock } from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
import type { Config, Logger, Registry } from '@antelope-history/service';
import { AckWindow, END_OF_CHAIN, type BlocksResult, type ShipStatus } from '@antelope-history/ship';
import { ChainPosition, firstBlockOf } from './chain-position';
import { waitForProgress } from './progress-wait';
import { createReaderMetrics, type ReaderMetrics } from './reader-metrics';
import { ShipSession } from './ship-session';
import { ViewCounter } from './view-counter';

export interface ReaderDependencies {
  config: Pick<Config, 'ship' | 'chainId'>;
  broker: Broker;
  keyValue: KeyValue;
  log: Logger;
  registry: Registry;
  /** Called when going on can't help: another chain, a node without state history. */
  fail(error: unknown): void;
}

export interface Reader {
  stop(): Promise<void>;
}

/** Messages that wait to be published beyond this stop the reading from the socket. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
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
  private chainId: string | undefined;
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

  constructor(private readonly dependencies: ReaderDependencies) {
    const { reconnectMinSeconds, reconnectMaxSeconds } = dependencies.config.ship;
    this.metrics = createReaderMetrics(dependencies.registry);
    this.backoff = new Backoff(reconnectMinSeconds * 1000, reconnectMaxSeconds * 1000);
    this.chainId = dependencies.config.chainId;
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
    this.session?.close(new HistoryError('SHIP_MESSAGE_CORRUPT', request.reason));
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
        if (this.isFinal(error)) {
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

  /** A node that refuses us, or whom we do not trust, says nothing of the others. */
  private isFinal(error: unknown): boolean {
    if (!(error instanceof HistoryError) || error.retryable) return false;
    const isOfOneNode = error.code === 'ACCESS_REFUSED' || error.code === 'CERTIFICATE_REFUSED';
    return !isOfOneNode || this.dependencies.config.ship.urls.length === 1;
  }

  private async waitAfter(error: unknown, url: string): Promise<void> {
    const code = error instanceof HistoryError ? error.code : 'SHIP_DISCONNECTED';
    const why = error instanceof Error ? error.message : String(error);
    const waitMs = this.backoff.next();
    this.metrics.disconnects.inc({ code });
    this.dependencies.log.warn(
      { code, url: withoutCredentials(url), waitSeconds: waitMs / 1000, blockNum: this.position.last?.num },
      `state history is away: ${why}; trying again in ${(waitMs / 1000).toFixed(1)} s`,
    );
    await sleep(waitMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }

  private async goOnFromStore(): Promise<void> {
    const { keyValue, log } = this.dependencies;
    const progress = await waitForProgress(keyValue, log, this.stopping.signal);
    if (!progress) return;
    this.chainId ??= progress.chainId;
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
            this.metrics.connected.set(0);
            publisher.close();
            reject(reason);
          },
        },
      );
      const publisher = new MessagePublisher(session, window, (result, message) =>
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
    this.metrics.connects.inc();
    this.metrics.connected.set(1);
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

  /** Refuses another chain. EOSIO 2.0 does not say which chain it is on; then block ids have to match. */
  private checkChain(status: ShipStatus): void {
    if (status.chainId === undefined) return;
    this.chainId ??= status.chainId;
    if (status.chainId !== this.chainId) {
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
    await this.publishMessage({ abi, message, chainId: this.chainId, view: this.views.take() });
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
      throw error;
    }
  }
}

/**
 * Publishes messages in their order, several at once: the node's window bounds how many. Gives the node credit in that order
 * too, as they become durable.
 */
class MessagePublisher {
  private tail: Promise<void> = Promise.resolve();
  private waitingBytes = 0;
  private closed = false;

  constructor(
    private readonly session: ShipSession,
    private readonly window: AckWindow,
    private readonly publish: (result: BlocksResult, message: Buffer) => Promise<void>,
  ) {}

  add(result: BlocksResult, message: Buffer): void {
    this.window.received();
    this.waitingBytes += message.length;
    if (this.waitingBytes > MAX_WAITING_BYTES) this.session.pause();
    const published = this.closed ? undefined : this.publish(result, message);
    // What fails is told in its turn.
    published?.catch(() => undefined);
    this.tail = this.tail.then(() => this.settle(published, message.length));
  }

  close(): void {
    this.closed = true;
  }

  /** Resolves when nothing is being published any more. */
  idle(): Promise<void> {
    return this.tail;
  }

  private async settle(published: Promise<void> | undefined, bytes: number): Promise<void> {
    if (!published) return;
    try {
      await published;
    } catch (error) {
      this.session.close(error as HistoryError);
      return;
    }
    const before = this.waitingBytes;
    this.waitingBytes -= bytes;
    if (before > MAX_WAITING_BYTES && this.waitingBytes <= MAX_WAITING_BYTES) this.session.resume();
    const acknowledge = this.window.settled();
    if (acknowledge > 0) this.session.acknowledge(acknowledge);
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
