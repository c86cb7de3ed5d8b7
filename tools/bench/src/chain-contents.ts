import { deserializeBlock } from '@antelope-history/deserialize';
import { createShipProtocol } from '@antelope-history/ship';
import type { Recording } from '@antelope-history/test-support/recordings';

/** What a recording without forks contains. */
export interface ChainContents {
  messages: number;
  /** Length of all messages, in bytes. */
  bytes: number;
  blocks: number;
  transactions: number;
  /** Actions, each with all its traces; the `onblock` of each block is one. */
  actions: number;
  /** Action traces: what `global_sequence` counts. */
  traces: number;
}

export function countContents({ abi, messages }: Recording): ChainContents {
  const protocol = createShipProtocol(abi);
  const contents = { messages: messages.length, bytes: 0, blocks: 0, transactions: 0, actions: 0, traces: 0 };
  for (const { bytes } of messages) {
    contents.bytes += bytes.length;
    const result = protocol.readResult(bytes);
    if (result.kind !== 'blocks' || !result.blocks.thisBlock) continue;
    const { transactions } = deserializeBlock(result.blocks, protocol);
    contents.blocks++;
    contents.transactions += transactions.length;
    for (const { actions } of transactions) contents.actions += actions.length;
    const { traces } = result.blocks;
    if (traces) protocol.readTraces(traces, (trace) => (contents.traces += trace.actionCount));
  }
  return contents;
}
