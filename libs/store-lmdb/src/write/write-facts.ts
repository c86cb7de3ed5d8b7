import type { MetaFacts } from '../format/chain-facts';
import type { Tables } from '../format/tables';
import type { WriteBatch } from './write-batch';

export function writeFact<K extends keyof MetaFacts>(
  tables: Tables,
  fact: K,
  value: MetaFacts[K],
  batch: WriteBatch,
): void {
  batch.put(tables.meta, Buffer.from(fact), Buffer.from(JSON.stringify(value)));
}

export function removeFact(tables: Tables, fact: keyof MetaFacts, batch: WriteBatch): void {
  batch.remove(tables.meta, Buffer.from(fact));
}
