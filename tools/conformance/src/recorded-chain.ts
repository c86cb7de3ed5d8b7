import { compileAbi, parseAbiJson, type AbiDecoder } from '@antelope-history/abi';
import { openSample, type SampleName } from '@antelope-history/test-support/recordings';
import { AbiHistory } from './abi-history';
import { PermissionState } from './permission-state';
import { fromHex, type RecordedBlock } from './recorded-block';
import type { ShipPosition, ShipResult, ShipTypes } from './ship-types';

/** Recorded messages come from a trusted node, so their size is not limited. */
const NO_LIMITS = { maxDepth: 1000, maxElements: Infinity, maxOutput: Infinity };

/**
 * The chain of a recording, decoded with the node's own state history ABI and the general ABI decoder. It shares no
 * reader, record type or store with the service. A repeated block number orphans all blocks from that number on.
 */
export class RecordedChain {
  /** The surviving branch, by number. */
  readonly blocks = new Map<number, RecordedBlock>();
  readonly orphans: RecordedBlock[] = [];
  /** The number of forks: messages whose block number the current branch already has. */
  forks = 0;
  readonly head: ShipPosition;
  readonly lastIrreversible: ShipPosition;
  /** The last irreversible block numbers of all messages. */
  readonly lastIrreversibles = new Set<number>();
  /** The ABIs of the surviving branch. */
  readonly abis: AbiHistory;
  readonly permissions = new PermissionState();
  /** Responses of EOSIO 2.0 have fewer fields. Its state history ABI is the only one without `action_trace_v1`. */
  readonly isEosio20: boolean;
  private readonly decoder: AbiDecoder;

  constructor(readonly name: SampleName) {
    const { abi, messages } = openSample(name);
    this.isEosio20 = !abi.includes('action_trace_v1');
    this.decoder = compileAbi(parseAbiJson(abi), NO_LIMITS);
    let last: ShipResult | undefined;
    for (const { bytes } of messages) {
      last = this.decode('result', bytes)[1];
      this.lastIrreversibles.add(last.last_irreversible.block_num);
      if (last.this_block) this.addBlock(this.readBlock(last.this_block, last));
    }
    if (!last) throw new Error(`${name} is empty`);
    this.head = last.head;
    this.lastIrreversible = last.last_irreversible;
    this.abis = new AbiHistory(this.blocks.values());
    for (const block of this.blocks.values()) this.permissions.apply(block.permissions);
  }

  block(num: number): RecordedBlock {
    const block = this.blocks.get(num);
    if (!block) throw new Error(`${this.name} has no block ${num}`);
    return block;
  }

  private addBlock(block: RecordedBlock): void {
    if (this.blocks.has(block.num)) this.forks++;
    for (let num = block.num; this.blocks.has(num); num++) {
      this.orphans.push(this.block(num));
      this.blocks.delete(num);
    }
    this.blocks.set(block.num, block);
  }

  private readBlock(position: ShipPosition, { block, traces, deltas }: ShipResult): RecordedBlock {
    const tables = deltas === null ? [] : this.decode('table_delta[]', fromHex(deltas));
    const rows = <Table extends 'account' | 'account_metadata' | 'permission'>(table: Table) =>
      tables
        .filter(([, { name }]) => name === table)
        .flatMap(([, delta]) => delta.rows)
        .map(({ present, data }) => ({ present: present !== 0, row: this.decode(table, fromHex(data)) }));
    return {
      num: position.block_num,
      id: position.block_id,
      block: block === null ? undefined : this.decode('signed_block', fromHex(block)),
      traces: traces === null ? [] : this.decode('transaction_trace[]', fromHex(traces)).map(([, trace]) => trace),
      accounts: rows('account').map(({ row }) => row[1]),
      accountMetadata: rows('account_metadata').map(({ row }) => row[1]),
      permissions: rows('permission').map(({ present, row }) => ({ present, row: row[1] })),
    };
  }

  /** Decodes a value of a type of the state history ABI. */
  decode<Type extends keyof ShipTypes>(type: Type, bytes: Buffer): ShipTypes[Type] {
    return this.decoder.decode(type, bytes) as unknown as ShipTypes[Type];
  }
}
