import { setTimeout as sleep } from 'node:timers/promises';
import { TOPOLOGY, type Broker, type Delivery, type Subscription } from '@antelope-history/broker';
import type { BlockRecords, RawBlock } from '@antelope-history/records';
import { deserializeBlock } from '@antelope-history/deserialize';
import { HistoryError } from '@antelope-history/schemas';
import { counter, histogram, type Logger, type Registry } from '@antelope-history/service';
import { createShipProtocol, type BlocksResult, type ShipProtocol } from '@antelope-history/ship';

export interface DeserializerDependencies {
  broker: Broker;
  log: Logger;
  registry: Registry;
}

export interface Deserializer {
  stop(): Promise<void>;
}

/** Starts taking raw blocks apart into records. A raw block is acknowledged when its records are safe. */
export async function startDeserializer(dependencies: DeserializerDependencies): Promise<Deserializer> {
  const deserializer = new DeserializerLoop(dependencies);
  await deserializer.start();
  return deserializer;
}

export const DESERIALIZE_DURATION = 'history_deserialize_duration_seconds';
/** How long a stop waits for the block in hand. One that cannot be passed on by then comes again. */
const STOP_LIMIT_MS = 1_000;

class DeserializerLoop implements Deserializer {
  private readonly protocols = new ProtocolCache();
  private readonly durations;
  private readonly failures;
  private subscription: Subscription | undefined;
  private tail: Promise<void> = Promise.resolve();
  /** Blocks that are being passed on: as many as the consumer may hold. Waiting for each would cost a round trip per block. */
  private readonly passing = new Set<Promise<void>>();
  private stopped = false;

  constructor(private readonly dependencies: DeserializerDependencies) {
    const { registry } = dependencies;
    this.durations = histogram(registry, {
      name: DESERIALIZE_DURATION,
      help: 'Time to take one block apart',
      buckets: [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    });
    this.failures = counter(registry, {
      name: 'history_corrupt_blocks_total',
      help: 'Blocks that could not be taken apart, by error code',
      labelNames: ['code'],
    });
    for (const code of ['DECODE_FAILED', 'SHIP_MESSAGE_CORRUPT', 'SHIP_UNSUPPORTED', 'SHIP_DATA_MISSING']) {
      this.failures.inc({ code }, 0);
    }
  }

  async start(): Promise<void> {
    this.subscription = await this.dependencies.broker.consume(TOPOLOGY.rawBlocks, (delivery) => {
      this.tail = this.tail.then(() => this.process(delivery));
    });
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.subscription?.cancel();
    const done = this.tail.then(() => Promise.all(this.passing));
    await Promise.race([done, sleep(STOP_LIMIT_MS, undefined, { ref: false })]);
  }

  private async process(delivery: Delivery<RawBlock>): Promise<void> {
    if (this.stopped) return;
    const passing = this.settle(delivery).finally(() => this.passing.delete(passing));
    this.passing.add(passing);
    // Sockets and timers get their turn between two blocks.
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** A block that cannot be taken apart is refused; one that cannot be passed on right now comes again. */
  private async settle(delivery: Delivery<RawBlock>): Promise<void> {
    let records: BlockRecords | undefined;
    try {
      records = this.deserialize(delivery.message);
    } catch (error) {
      return this.refuse(delivery, toHistoryError(error));
    }
    try {
      if (records) await this.dependencies.broker.publish(TOPOLOGY.blockRecords, records);
      delivery.acknowledge();
    } catch (error) {
      this.handBack(delivery, error);
    }
  }

  private deserialize(raw: RawBlock): BlockRecords | undefined {
    const protocol = this.protocols.get(raw.abi);
    const result = protocol.readResult(raw.message);
    if (result.kind !== 'blocks' || !result.blocks.thisBlock) return undefined;
    const end = this.durations.startTimer();
    const records = describing(result.blocks, protocol, raw);
    end();
    return records;
  }

  /** Keeps the message with its reason, and asks for the block again: the line must not stand still, nor skip it. */
  private async refuse(delivery: Delivery<RawBlock>, reason: HistoryError): Promise<void> {
    const { log, broker } = this.dependencies;
    this.failures.inc({ code: reason.code });
    log.error({ code: reason.code, error: reason }, reason.message);
    try {
      await broker.publish(TOPOLOGY.refetch, { fromBlock: 0, code: reason.code, reason: reason.message });
      delivery.reject(reason);
    } catch (error) {
      this.handBack(delivery, error);
    }
  }

  private handBack(delivery: Delivery<RawBlock>, error: unknown): void {
    if (!this.stopped) this.dependencies.log.warn({ error }, 'a block could not be passed on; it comes again');
    delivery.requeue();
  }
}

/** Takes a block apart; an error says which block it was. */
function describing(result: BlocksResult, protocol: ShipProtocol, raw: RawBlock): BlockRecords {
  try {
    return deserializeBlock(result, protocol, raw);
  } catch (error) {
    const { code, message } = toHistoryError(error);
    throw new HistoryError(code, `block ${result.thisBlock?.num ?? 0}: ${message}`, { cause: error });
  }
}

function toHistoryError(error: unknown): HistoryError {
  if (error instanceof HistoryError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new HistoryError('DECODE_FAILED', detail, { cause: error });
}

/** A node's ABI frame is compiled once; a worker sees few, one per version of the nodes that are read. */
class ProtocolCache {
  private readonly protocols = new Map<string, ShipProtocol>();

  get(abiFrame: string): ShipProtocol {
    let protocol = this.protocols.get(abiFrame);
    if (!protocol) {
      if (this.protocols.size >= 16) this.protocols.clear();
      this.protocols.set(abiFrame, (protocol = createShipProtocol(abiFrame)));
    }
    return protocol;
  }
}
