import { deserializeBlock } from '@antelope-history/deserialize';
import { decodeActionRecord } from '@antelope-history/records';
import type { BlockPosition } from '@antelope-history/schemas';
import { createShipProtocol, headerBytes } from '@antelope-history/ship';
import { openSample } from '@antelope-history/test-support/recordings';
import { ChainCounters } from './chain-counters';

/** The first messages of a recorded node: the genesis state, the ABI of `eosio` and some ordinary accounts. */
export interface BaseChain {
  abi: string;
  messages: Buffer[];
  head: BlockPosition;
  lastIrreversible: BlockPosition;
  /** Time of the head block, in half-second slots since 2000. */
  timestamp: number;
  /** The packed header of the head block. */
  header: Buffer;
  counters: ChainCounters;
}

/** After this block of `leap-edge` the system contract runs, and no fork has happened. */
const LAST_BLOCK = 27;

export function readBaseChain(): BaseChain {
  const { abi, messages } = openSample('leap-edge');
  const protocol = createShipProtocol(abi);
  const counters = new ChainCounters();
  const kept = messages.slice(0, LAST_BLOCK);
  let timestamp = 0;
  let header: Buffer = Buffer.alloc(0);
  for (const { bytes } of kept) {
    const result = protocol.readResult(bytes);
    if (result.kind !== 'blocks') throw new Error('the sample has a message without a block');
    const block = deserializeBlock(result.blocks, protocol);
    timestamp = block.timestamp;
    if (block.block) header = headerBytes(block.block);
    for (const { actions, firstSequence } of block.transactions) {
      for (const action of actions) countReceipts(decodeActionRecord(action.bytes, firstSequence), counters);
    }
  }
  const last = kept.at(-1);
  if (!last?.thisBlock) throw new Error('the sample ends too early');
  return {
    abi,
    messages: kept.map(({ bytes }) => bytes),
    head: last.thisBlock,
    lastIrreversible: last.lastIrreversible,
    timestamp,
    header,
    counters,
  };
}

function countReceipts({ traces }: ReturnType<typeof decodeActionRecord>, counters: ChainCounters): void {
  for (const { receiver, receipt } of traces) {
    const auths = receipt.authSequence.map(({ account, sequence }): [string, bigint] => [account, sequence]);
    counters.saw({ receiver, auths, globalSequence: receipt.globalSequence, recvSequence: receipt.recvSequence });
  }
}
