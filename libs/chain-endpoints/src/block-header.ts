import { readBlockHeader } from '@antelope-history/ship';
import type { NodeGeneration } from '@antelope-history/records';
import type { HistoryReader } from '@antelope-history/store';

/** What responses about the chain need of a block besides its number and id. */
export interface HeaderFacts {
  /** Half-second slots since 2000-01-01. */
  timestamp: number;
  producer: string;
  generation: NodeGeneration;
}

/** The head and the last irreversible block of a few moments; clients ask for them again and again. */
const MAX_HEADERS = 64;

/** Reads facts of headers by block id. They belong to the id, so they stay true whatever fork follows. */
export class HeaderReader {
  private readonly known = new Map<string, Promise<HeaderFacts | undefined>>();

  constructor(private readonly reader: Pick<HistoryReader, 'getBlock'>) {}

  /** Undefined when the block is not on the committed branch now, or was never stored. Rejects as `getBlock` does. */
  async read(id: string): Promise<HeaderFacts | undefined> {
    const header = this.known.get(id) ?? this.remember(id, this.load(id));
    const facts = await header.catch((error: unknown) => {
      this.known.delete(id);
      throw error;
    });
    if (!facts) this.known.delete(id);
    return facts;
  }

  /** Forgets the header that was read first: newer ones are asked for. */
  private remember(id: string, header: Promise<HeaderFacts | undefined>): Promise<HeaderFacts | undefined> {
    const [oldest] = this.known.keys();
    if (oldest !== undefined && this.known.size >= MAX_HEADERS) this.known.delete(oldest);
    this.known.set(id, header);
    return header;
  }

  private async load(id: string): Promise<HeaderFacts | undefined> {
    const { block } = await this.reader.getBlock({ id });
    if (!block) return undefined;
    const { timestamp, producer } = readBlockHeader(block.block);
    return { timestamp, producer, generation: block.generation };
  }
}

/** The part of a block id that transactions refer to. */
export function refBlockPrefix(id: string): number {
  return Buffer.from(id, 'hex').readUInt32LE(8);
}
