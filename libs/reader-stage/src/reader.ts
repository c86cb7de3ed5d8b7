import { TOPOLOGY, type Broker, type RefetchRequest, type Subscription } from '@antelope-history/broker';
import { abortableSleep } from '@antelope-history/connectivity';
import { readReaderEpoch, writeReaderEpoch, type KeyValue } from '@antelope-history/key-value';
import { type ErrorCode, HistoryError } from '@antelope-history/schemas';
import type { Config, Logger, Registry } from '@antelope-history/app-runtime';
import { AckWindow, END_OF_CHAIN, type ShipStatus } from '@antelope-history/ship';
import { BlockPublisher } from './block-publisher';
import { MessageWindow } from './message-window';
import { waitForPort } from './port-watch';
import { waitForProgress } from './progress-wait';
import { createReaderMetrics, isRefusal, toSessionEndCode, type ReaderMetrics } from './reader-metrics';
import { RetrySchedule } from './retry-schedule';
import { ShipSession } from './ship-session';
import { SilenceWatch } from './silence-watch';
import { checkChain, startBlockOf } from './start-request';

/** The end of a session is logged before its blocks are in the queue when that takes longer than this. */
const SETTLE_QUIETLY_MS = 1_000;

export interface ReaderDependencies {
  config: Pick<Config, 'ship' | 'chainId'>;
  broker: Broker;
  keyValue: KeyValue;
  log: Logger;
  registry: Registry;
  /**
   * Called when the broker refuses a message with a final error. Nothing that a node sends leads here: a node must not be able
   * to end the process.
   */
  fail(error: unknown): void;
}

export interface Reader {
  stop(): Promise<void>;
}

/**
 * Starts reading a chain from the store's committed position: one configured node after the other, with a backoff between
 * them. The reader publishes each message of a node unchanged and decodes no more of it than numbers and ids.
 */
export async function startReader(dependencies: ReaderDependencies): Promise<Reader> {
  const reader = new ReaderLoop(dependencies);
  await reader.start();
  return reader;
}

class ReaderLoop implements Reader {
  private readonly metrics: ReaderMetrics;
  private readonly retries: RetrySchedule;
  private readonly publisher: BlockPublisher;
  private session: ShipSession | undefined;
  private window: MessageWindow | undefined;
  private refetches: Subscription | undefined;
  private running: Promise<void> = Promise.resolve();
  private readonly stopping = new AbortController();
  private readonly stopRequested: Promise<void>;

  constructor(private readonly dependencies: ReaderDependencies) {
    const { config, broker, log, registry } = dependencies;
    this.metrics = createReaderMetrics(registry);
    this.retries = new RetrySchedule(config.ship.reconnectMinSeconds * 1000, config.ship.reconnectMaxSeconds * 1000);
    this.publisher = new BlockPublisher({ broker, log, metrics: this.metrics, retries: this.retries });
    this.stopRequested = new Promise((resolve) =>
      this.stopping.signal.addEventListener('abort', () => resolve(), { once: true }),
    );
  }

  async start(): Promise<void> {
    this.refetches = await this.dependencies.broker.consume<RefetchRequest>(TOPOLOGY.refetch, (delivery) => {
      this.refetch(delivery.message);
      delivery.acknowledge();
    });
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.session?.close(new HistoryError('STOPPED', 'the reader stops'));
    await this.refetches?.cancel();
    await this.running;
  }

  /** Ends the session: a later stage could not use its blocks, so reading continues from the store's committed position. */
  private refetch({ code, reason }: RefetchRequest): void {
    this.dependencies.log.warn({ code }, `reading again from the committed block: ${reason}`);
    this.metrics.refetches.inc();
    this.publisher.requireRestart();
    this.retries.refetchRequested();
    this.session?.close(new HistoryError(toSessionEndCode(code), reason));
  }

  private async run(): Promise<void> {
    const { urls } = this.dependencies.config.ship;
    for (let attempt = 0; !this.isStopped(); attempt++) {
      const url = urls[attempt % urls.length] as string;
      try {
        if (this.publisher.needsRestart) await this.restartFromStore();
        if (this.isStopped()) return;
        await this.readFrom(url);
      } catch (error) {
        if (this.isStopped()) return;
        this.metrics.ended(codeOf(error));
        await this.settleWindow(error, url);
        if (this.isStopped()) return;
        if (error === this.publisher.finalError) {
          this.dependencies.fail(error);
          return;
        }
        await this.waitAfter(error, url, urls[(attempt + 1) % urls.length] as string);
      }
    }
  }

  /** Waits until nothing is being published, which takes as long as the queue is full or the broker is away. */
  private async settleWindow(error: unknown, url: string): Promise<void> {
    const settled = new AbortController();
    const idle = Promise.race([this.window?.idle(), this.stopRequested]).then(() => settled.abort());
    await abortableSleep(SETTLE_QUIETLY_MS, settled.signal);
    if (!settled.signal.aborted) this.logEnd(error, url, 'trying again when the blocks read so far are in the queue');
    await idle;
  }

  /** A function, because TypeScript would assume that a checked property keeps its value during an `await`. */
  private isStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  /**
   * Waits before the next node is tried; the backoff grows whether a node was unavailable or refused. A node that is down and
   * begins to listen is tried at once.
   */
  private async waitAfter(error: unknown, url: string, nextUrl: string): Promise<void> {
    const waitMs = this.retries.nextWaitMs(performance.now());
    this.logEnd(error, url, `trying again in ${(waitMs / 1000).toFixed(1)} s`, { waitSeconds: waitMs / 1000 });
    const ended = new AbortController();
    const signal = AbortSignal.any([this.stopping.signal, ended.signal]);
    await Promise.race([abortableSleep(waitMs, signal), waitForPort(nextUrl, signal)]);
    ended.abort();
  }

  /** Logs why a session ended, and what follows. */
  private logEnd(error: unknown, url: string, next: string, fields: { waitSeconds?: number } = {}): void {
    const code = codeOf(error);
    const reason = error instanceof Error ? error.message : String(error);
    const what = isRefusal(code) ? 'the node is refused' : 'state history is interrupted';
    this.dependencies.log.warn(
      { code, url: withoutCredentials(url), ...fields, blockNum: this.publisher.position.last?.num },
      `${what}: ${reason}; ${next}`,
    );
  }

  private async restartFromStore(): Promise<void> {
    const { config, keyValue, log } = this.dependencies;
    const progress = await waitForProgress(keyValue, log, this.stopping.signal);
    if (!progress) return;
    // While the key-value store is unavailable, the last epoch is unknown, and the new epoch follows from the clock and the
    // committed sequence.
    const lastEpoch = await readReaderEpoch(keyValue).catch(() => 0);
    const epoch = this.publisher.restart(progress, config.chainId ?? progress.chainId, lastEpoch);
    await writeReaderEpoch(keyValue, epoch).catch(() => undefined);
    this.retries.restarted(progress.committed?.num ?? 0);
  }

  /** Reads until the session ends; rejects with the reason. */
  private readFrom(url: string): Promise<never> {
    return new Promise((_, reject) => {
      const { maxMessagesInFlight, maxBytesInFlight, maxMessageBytes, caFile, silenceSeconds } =
        this.dependencies.config.ship;
      let highestNum = 0;
      const session = new ShipSession(
        { url, caFile, maxMessageBytes },
        {
          onBlocks: (result, message) => {
            // A node of EOSIO 2.0 sends a message for each new head, also while it has not reached the block that was requested.
            // A block that the node sends again is no sign of progress either: the branch after a fork soon gets beyond it.
            const num = result.thisBlock?.num ?? 0;
            if (num > highestNum) silence.heard();
            else silence.heardNothingNew();
            highestNum = Math.max(highestNum, num);
            window.add(result, message);
          },
          onEnd: (reason) => {
            silence.stop();
            window.close();
            reject(reason);
          },
        },
      );
      const window = new MessageWindow(
        session,
        new AckWindow(maxMessagesInFlight),
        maxBytesInFlight,
        (result, message) => this.publisher.publish(session.abiFrame, result, message),
      );
      const silence = new SilenceWatch(
        silenceSeconds * 1000,
        // Before blocks are requested, the time limit for connecting applies instead.
        () => session.isRequested && window.isEmpty,
        () =>
          session.close(
            new HistoryError('SHIP_SILENT', `the node has sent no new block for ${silenceSeconds} seconds`),
          ),
        () => session.receivedBytes,
      );
      this.session = session;
      this.window = window;
      session
        .open()
        .then((status) => {
          this.requestBlocks(session, url, status);
          silence.heard();
        })
        .catch((error: unknown) => session.close(error as HistoryError));
    });
  }

  private requestBlocks(session: ShipSession, url: string, status: ShipStatus): void {
    const { config, log } = this.dependencies;
    const { position, chainId } = this.publisher;
    checkChain(status.chainId, chainId);
    this.publisher.beginSession(status.chainId);
    const startBlock = startBlockOf(status, position.last, config.ship.startBlock);
    log.info({ url: withoutCredentials(url), startBlock, head: status.head.num }, 'reading state history');
    this.metrics.began();
    session.request({
      startBlock,
      endBlock: END_OF_CHAIN,
      maxMessagesInFlight: config.ship.maxMessagesInFlight,
      havePositions: position.havePositions(Math.max(status.traceBegin, status.chainStateBegin)),
      irreversibleOnly: false,
    });
  }
}

function codeOf(error: unknown): ErrorCode {
  return error instanceof HistoryError ? error.code : 'SHIP_DISCONNECTED';
}

/** A URL without the user and password, for logs. */
function withoutCredentials(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}
