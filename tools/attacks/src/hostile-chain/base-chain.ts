import { openSample } from '@antelope-history/test-support/recordings';
import { decodeActionRecord, deserializeBlock } from '@antelope-history/records';
import { createShipProtocol } from '@antelope-history/ship';
import { ChainCounters } from './chain-counters';
import type { Position } from './ship-encoding';

/** What a recorded node sent first: the state of genesis, the ABI of `eosio` and some ordinary accounts. */
export interface BaseChain {
  abi: string;
  messages: Buffer[];
  head: Position;
  lastIrreversible: Position;
  /** Of the head, in half-second slots since 2000. */
  timestamp: number;
  counters: ChainCounters;
}

/** The block of `leap-edge` after whose 27 the system contract runs and nothing has forked. */
const LAST_BLOCK = 27;

export function readBaseChain(): BaseChain {
  const { abi, messages } = openSample('leap-edge');
  const protocol = createShipProtocol(abi);
  const counters = new ChainCounters();
  const kept = messages.slice(0, LAST_BLOCK);
  let timestamp = 0;
  for (const { bytes } of kept) {
    const result = protocol.readResult(bytes);
    if (result.kind !== 'blocks') throw new Error('the sample holds a message without a block');
    const block = deserializeBlock(result.blocks, protocol);
    timestamp = block.timestamp;
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
    counters,
  };
}

function countReceipts({ traces }: ReturnType<typeof decodeActionRecord>, counters: ChainCounters): void {
  for (const { receiver, receipt } of traces) {
    const auths = receipt.authSequence.map(({ account, sequence }): [string, bigint] => [account, sequence]);
    counters.saw({ receiver, auths, globalSequence: receipt.globalSequence, recvSequence: receipt.recvSequence });
  }
}
