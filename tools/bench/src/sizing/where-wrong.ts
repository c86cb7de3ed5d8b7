import type { ChainSize, EmbeddedCosts, SuiteCosts } from './costs';
import { formatCount } from './quantities';

/** The list of what the arithmetic does not know. */
export function whereItWouldBeWrong(
  costs: { embedded: EmbeddedCosts; suite: SuiteCosts },
  chains: readonly ChainSize[],
): string {
  const measured = costs.suite.chain.actions;
  const largest = Math.max(...chains.map(({ actions }) => actions));
  return `### Where the arithmetic would be wrong

- **Growth**: everything is taken to grow linearly from ${formatCount(measured)} measured actions${largest > measured ? ` to ${formatCount(largest / measured)} times as many` : ''}. No chain of that
  size has been measured.
- **Other actions**: a chain with larger actions, or with more traces per action, takes more of everything. Index a part of it, and
  compare.
- **Memory and page cache**: the measured data fit into memory. When the data of the embedded set exceed it, insertions into the
  lists of accounts and keys read pages from the disk, and the disk determines the time instead of the busiest thread. The
  days are the least that is possible.
- **Merges**: segments are merged again while they grow. A run of seconds merges little; the processor time of Elasticsearch and
  its disk writes per action are higher in a long backfill. Before a merge ends, its segments take their disk twice.
- **Processor time at the start**: a program that has just started compiles its own code. In a run of seconds this is a notable part,
  so the times per action and per block of the apps are too high for a long backfill.
- **Directory**: the indices of the directory are built from ranges that can no longer change. The measured chains are too short
  to have any, so their disk and the time to build them are missing.
- **The node**: the sending speed of the node is not included. A node that replays or reads its state history log more slowly
  than the reader takes blocks determines the days. The reader uses one node at a time.
- **Reader and RabbitMQ**: the reader is counted with one processor and RabbitMQ with two, one for each queue. On RabbitMQ, the
  members of a queue on other nodes of a cluster write the same again, which is not counted.
- **Shards**: the overhead of an index of its own is not measured. Many small indices take more heap and more time of the
  master than the rule for indices says, and the busiest range may have more than what is taken here.
- **Network and disks**: everything ran on one machine. Between machines each action passes the network from the reader to RabbitMQ,
  to a deserializer, back, to an indexer, to Elasticsearch, and to each replica. Disks have to take what is written.
- **Other work**: the APIs, Redis, the operating system, backups and snapshots are not included.
`;
}
