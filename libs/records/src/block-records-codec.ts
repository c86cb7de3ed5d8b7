import { ByteReader } from '@antelope-history/abi';
import { type BlockPosition, HistoryError } from '@antelope-history/schemas';
import type {
  AbiChange,
  ActionEntry,
  Authority,
  BlockRecords,
  PermissionChange,
  TransactionRecord,
} from './block-records';
import { readVaruint } from './read-varuint';
import { RecordWriter } from './record-writer';
import { readMany, readTransactionHeader, writeTransactionHeader } from './transaction-header';

/*
 * The message form of a block of records: version u8 | flags u8 | names: varuint n, n × (u8 length, text) | varuint epoch,
 * sequence - epoch | chain id 32 if any | positions: head, last irreversible, own, previous if any (u32 number, id 32)
 * | timestamp u32 | block, length-prefixed, if any | root sequences | transactions | ABI changes | permission changes
 * | action root 32 if any (since version 2). Since version 3 action records may leave out digests (`TRACE_FLAGS.computedDigest`)
 * and what follows in receipts (`ACTION_FLAGS.derivedReceipts`).
 * Each name is stored once and referenced by its index, because the actions of a busy block share few accounts.
 */
const VERSION = 3;
const OLDEST_VERSION = 1;

const HAS_CHAIN_ID = 1;
const HAS_PREVIOUS = 2;
const HAS_BLOCK = 4;
const HAS_TRACES = 8;
/** The node is EOSIO 2.1 or later. */
const IS_SINCE_2_1 = 16;
const HAS_ACTION_ROOT = 32;

const IS_ROOT = 1;

/** The codec of blocks of records for brokers that carry bytes. */
export const blockRecordsCodec = {
  encode(records: BlockRecords): Buffer {
    const body = new BodyEncoder(encodedSize(records));
    body.write(records);
    return body.finish(flagsOf(records));
  },

  /** The buffers of the records point into `bytes`. Throws `DECODE_FAILED` on bytes that are not a block of records. */
  decode(bytes: Buffer): BlockRecords {
    const reader = new ByteReader(bytes);
    const version = reader.uint8();
    if (version < OLDEST_VERSION || version > VERSION) {
      throw new HistoryError(
        'DECODE_FAILED',
        `the block of records has version ${version}, this version of the service reads ${OLDEST_VERSION} to ${VERSION}`,
      );
    }
    const records = new BodyDecoder(reader).read();
    if (reader.remaining() > 0) throw new HistoryError('DECODE_FAILED', 'bytes remain after a block of records');
    return records;
  },
};

/** An estimate of the encoded size, in bytes; the writer grows when it is too small. */
function encodedSize({ block, transactions }: BlockRecords): number {
  let bytes = 1024 + (block?.length ?? 0);
  for (const { actions } of transactions) {
    bytes += 64;
    for (const action of actions) bytes += action.bytes.length + 16;
  }
  return bytes;
}

function flagsOf(records: BlockRecords): number {
  return (
    (records.chainId === undefined ? 0 : HAS_CHAIN_ID) |
    (records.previous ? HAS_PREVIOUS : 0) |
    (records.block ? HAS_BLOCK : 0) |
    (records.hasTraces ? HAS_TRACES : 0) |
    (records.generation === 'eosio-2.1+' ? IS_SINCE_2_1 : 0) |
    (records.actionRoot === undefined ? 0 : HAS_ACTION_ROOT)
  );
}

class BodyEncoder {
  private readonly writer: RecordWriter;
  /** Index by name, in ascending order of index. */
  private readonly names = new Map<string, number>();

  constructor(bytes: number) {
    this.writer = new RecordWriter(bytes);
  }

  write(records: BlockRecords): void {
    const { writer } = this;
    writer.varuint(records.streamPosition.epoch);
    writer.varuint(records.streamPosition.sequence - records.streamPosition.epoch);
    if (records.chainId !== undefined) this.hash(records.chainId);
    for (const position of [records.head, records.lastIrreversible, records.position]) this.position(position);
    if (records.previous) this.position(records.previous);
    writer.uint32(records.timestamp);
    if (records.block) writer.lengthPrefixed(records.block);
    this.many(records.rootSequences, (sequences) => this.many(sequences, (sequence) => writer.varuint(sequence)));
    this.many(records.transactions, (transaction) => this.transaction(transaction));
    this.many(records.abiChanges, (change) => this.abiChange(change));
    this.many(records.permissionChanges, (change) => this.permissionChange(change));
    if (records.actionRoot !== undefined) this.hash(records.actionRoot);
  }

  /** The whole message. The names are complete only now and precede the body. */
  finish(flags: number): Buffer {
    const head = new RecordWriter(16 + this.names.size * 14);
    head.uint8(VERSION);
    head.uint8(flags);
    head.varuint(this.names.size);
    for (const name of this.names.keys()) {
      const text = Buffer.from(name, 'latin1');
      head.uint8(text.length);
      head.copy(text, 0, text.length);
    }
    return Buffer.concat([head.view(0), this.writer.view(0)]);
  }

  private many<T>(items: readonly T[], write: (item: T) => void): void {
    this.writer.varuint(items.length);
    for (const item of items) write(item);
  }

  private hash(hex: string): void {
    this.writer.copy(Buffer.from(hex, 'hex'), 0, 32);
  }

  private position({ num, id }: BlockPosition): void {
    this.writer.uint32(num);
    this.hash(id);
  }

  private name(name: string): void {
    let number = this.names.get(name);
    if (number === undefined) this.names.set(name, (number = this.names.size));
    this.writer.varuint(number);
  }

  private transaction(transaction: TransactionRecord): void {
    writeTransactionHeader(this.writer, transaction);
    this.writer.varuint(transaction.actions.length);
    for (const action of transaction.actions) this.action(action, transaction.firstSequence);
  }

  private action(action: ActionEntry, firstSequence: number): void {
    const { writer } = this;
    writer.uint8(action.root ? IS_ROOT : 0);
    writer.varuint(action.sequence - firstSequence);
    this.name(action.account);
    this.name(action.name);
    writer.varuint(action.accounts.length);
    for (const account of action.accounts) this.name(account);
    writer.lengthPrefixed(action.bytes);
  }

  private abiChange({ account, sequence, abi }: AbiChange): void {
    this.name(account);
    this.writer.varuint(sequence);
    this.writer.lengthPrefixed(abi);
  }

  private permissionChange({ owner, name, authority }: PermissionChange): void {
    this.name(owner);
    this.name(name);
    this.writer.uint8(authority ? 1 : 0);
    if (!authority) return;
    this.many(authority.keys, (key) => this.writer.lengthPrefixed(key));
    this.many(authority.actors, (actor) => this.name(actor));
  }
}

class BodyDecoder {
  private readonly flags: number;
  private readonly names: string[];

  /** `reader` is positioned after the version. */
  constructor(private readonly reader: ByteReader) {
    this.flags = reader.uint8();
    this.names = readMany(reader, () => reader.slice(reader.uint8()).toString('latin1'));
  }

  read(): BlockRecords {
    const { reader } = this;
    const epoch = readVaruint(reader);
    const streamPosition = { epoch, sequence: epoch + readVaruint(reader) };
    const chainId = this.has(HAS_CHAIN_ID) ? this.hash() : undefined;
    return {
      chainId,
      streamPosition,
      head: this.position(),
      lastIrreversible: this.position(),
      position: this.position(),
      previous: this.has(HAS_PREVIOUS) ? this.position() : undefined,
      timestamp: reader.uint32(),
      block: this.has(HAS_BLOCK) ? reader.lengthPrefixed() : undefined,
      generation: this.has(IS_SINCE_2_1) ? 'eosio-2.1+' : 'eosio-2.0',
      hasTraces: this.has(HAS_TRACES),
      rootSequences: readMany(reader, () => readMany(reader, () => readVaruint(reader))),
      transactions: readMany(reader, () => this.transaction()),
      abiChanges: readMany(reader, () => this.abiChange()),
      permissionChanges: readMany(reader, () => this.permissionChange()),
      actionRoot: this.has(HAS_ACTION_ROOT) ? this.hash() : undefined,
    };
  }

  private has(flag: number): boolean {
    return (this.flags & flag) !== 0;
  }

  private hash(): string {
    return this.reader.slice(32).toString('hex');
  }

  private position(): BlockPosition {
    return { num: this.reader.uint32(), id: this.hash() };
  }

  private name(): string {
    const name = this.names[readVaruint(this.reader)];
    if (name === undefined) throw new HistoryError('DECODE_FAILED', 'a name index is out of range');
    return name;
  }

  private transaction(): TransactionRecord {
    const { header } = readTransactionHeader(this.reader);
    return { ...header, actions: readMany(this.reader, () => this.action(header.firstSequence)) };
  }

  private action(firstSequence: number): ActionEntry {
    const { reader } = this;
    return {
      root: (reader.uint8() & IS_ROOT) !== 0,
      sequence: firstSequence + readVaruint(reader),
      account: this.name(),
      name: this.name(),
      accounts: readMany(reader, () => this.name()),
      bytes: reader.lengthPrefixed(),
    };
  }

  private abiChange(): AbiChange {
    return { account: this.name(), sequence: readVaruint(this.reader), abi: this.reader.lengthPrefixed() };
  }

  private permissionChange(): PermissionChange {
    return {
      owner: this.name(),
      name: this.name(),
      authority: this.reader.uint8() === 0 ? undefined : this.authority(),
    };
  }

  private authority(): Authority {
    return {
      keys: readMany(this.reader, () => this.reader.lengthPrefixed()),
      actors: readMany(this.reader, () => this.name()),
    };
  }
}
