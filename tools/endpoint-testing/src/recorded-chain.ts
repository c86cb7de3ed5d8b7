import { type AbiDecoder, createAbiDecoder } from '@antelope-history/abi';
import { deserializeBlock } from '@antelope-history/deserialize';
import { type BlockRecords, decodeActionRecord, type TransactionRecord } from '@antelope-history/records';
import { type AbiDecoders, createAbiDecoders } from '@antelope-history/responses';
import { createShipProtocol } from '@antelope-history/ship';
import type {
  AbiRequest,
  ChainStatus,
  StoredAction,
  StoredBlock,
  StoredBlockTransaction,
  StoredTransaction,
} from '@antelope-history/store';
import { openSample, type SampleName } from '@antelope-history/test-support/recordings';

/** The surviving branch of a recorded chain, as a store returns it. */
export interface RecordedChain {
  status: ChainStatus;
  /** By number. */
  blocks: Map<number, BlockRecords>;
  abis: AbiHistory;
}

/** Reads a sample as an indexer does: a repeated block number replaces the blocks from that number on. */
export function readRecordedChain(name: SampleName): RecordedChain {
  const { abi, messages } = openSample(name);
  const protocol = createShipProtocol(abi);
  const blocks = new Map<number, BlockRecords>();
  for (const { bytes } of messages) {
    const result = protocol.readResult(bytes);
    if (result.kind !== 'blocks' || !result.blocks.thisBlock) throw new Error('a recorded message has no block');
    const records = deserializeBlock(result.blocks, protocol);
    for (let undone = records.position.num; blocks.delete(undone); undone++);
    blocks.set(records.position.num, records);
  }
  const newest = [...blocks.values()].at(-1);
  if (!newest) throw new Error('the sample is empty');
  const status: ChainStatus = {
    chainId: undefined,
    firstBlockNum: 1,
    committed: newest.position,
    head: newest.head,
    lastIrreversible: newest.lastIrreversible,
    committedTimestamp: undefined,
    dataFields: {},
    revision: 0,
  };
  return { status, blocks, abis: new AbiHistory(blocks.values()) };
}

export function blockAt(chain: RecordedChain, num: number): BlockRecords {
  const records = chain.blocks.get(num);
  if (!records) throw new Error(`block ${num} is not on the surviving branch`);
  return records;
}

export function storedBlockOf({
  position,
  block,
  generation,
  hasTraces,
  actionRoot,
  rootSequences,
}: BlockRecords): StoredBlock {
  if (!block) throw new Error(`block ${position.num} was not recorded`);
  return { position, block, generation, hasTraces, actionRoot, rootSequences };
}

export function blockTransactionsOf({ transactions }: BlockRecords): StoredBlockTransaction[] {
  return transactions.map(({ actions, ...record }) => ({
    record,
    actions: actions.map(({ bytes }) => decodeActionRecord(bytes, record.firstSequence)),
  }));
}

export function storedTransactionOf(records: BlockRecords, transaction: TransactionRecord): StoredTransaction {
  const { actions, ...record } = transaction;
  return {
    ...blockFactsOf(records),
    id: record.id.toString('hex'),
    block: storedBlockOf(records).block,
    receiptIndex: record.receiptIndex,
    record,
    actions: actions.map(({ bytes }) => decodeActionRecord(bytes, record.firstSequence)),
  };
}

/** All actions of a block, oldest first. */
export function storedActionsOf(records: BlockRecords): StoredAction[] {
  return records.transactions.flatMap(({ id, firstSequence, actions }) =>
    actions.map(({ bytes }) => ({
      ...blockFactsOf(records),
      action: decodeActionRecord(bytes, firstSequence),
      transactionId: id.toString('hex'),
    })),
  );
}

function blockFactsOf({ position, timestamp }: BlockRecords) {
  return { blockNum: position.num, blockId: position.id, blockTimestamp: timestamp };
}

interface AbiVersion {
  blockNum: number;
  /** Global sequence of the setabi; 0 for an ABI from the start of the block. */
  sequence: number;
  decoder: AbiDecoder | undefined;
}

/** All ABIs of all contracts. */
export class AbiHistory {
  private readonly versions = new Map<string, AbiVersion[]>();

  constructor(blocks: Iterable<BlockRecords>) {
    for (const { position, abiChanges } of blocks) {
      for (const { account, sequence, abi } of abiChanges) {
        const version = { blockNum: position.num, sequence, decoder: createAbiDecoder(abi) };
        this.versions.set(account, [...(this.versions.get(account) ?? []), version]);
      }
    }
  }

  /** The decoders in force at the requested positions. */
  decodersFor(requests: AbiRequest[]): AbiDecoders {
    return createAbiDecoders(
      requests,
      requests.map((request) => this.inForce(request)),
    );
  }

  /** The latest ABIs, with which a node responds after the end of the recording. */
  get atEnd(): AbiDecoders {
    return { at: (account) => this.versions.get(account)?.at(-1)?.decoder };
  }

  private inForce({ account, blockNum, sequence }: AbiRequest): AbiDecoder | undefined {
    const before = (version: AbiVersion): boolean =>
      version.blockNum < blockNum || (version.blockNum === blockNum && version.sequence < sequence);
    return this.versions.get(account)?.findLast(before)?.decoder;
  }
}
