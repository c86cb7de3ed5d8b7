import { createHash } from 'node:crypto';
import type { AbiDecoder } from '@antelope-history/abi';
import { loadConfig } from '@antelope-history/app-runtime';
import { BlockData, DataFields } from '@antelope-history/data-fields';
import type { BlockRecords } from '@antelope-history/records';
import { dataMark, documentsOf } from '@antelope-history/store-elasticsearch/documents';

/** The JSON of the documents of a chain's actions by their ids, as indexers with the default configuration write them. */
export function actionDocuments(blocks: readonly BlockRecords[]): Map<string, string> {
  const fields = new DataFields(loadConfig({}).index.dataFields);
  const decoders = new Map<string, AbiDecoder | undefined>();
  const hashes = new Map<string, string>();
  const actions = new Map<string, string>();
  for (const block of blocks) {
    const data = new BlockData(fields, block, (contract) => decoders.get(contract));
    const terms = { data, areAbisAssumed: false, ...markOf(block, fields, hashes) };
    for (const { kind, id, json } of documentsOf(block, terms, 'doc-values')) {
      if (kind === 'actions') actions.set(id, json);
    }
    for (const { account, abi } of block.abiChanges) {
      if (fields.contracts.has(account)) hashes.set(account, createHash('sha256').update(abi).digest('hex'));
    }
    for (const contract of fields.contracts) {
      const changed = data.changedTo(contract);
      if (changed) decoders.set(contract, changed.decoder);
    }
  }
  return actions;
}

function markOf(
  { position, transactions }: BlockRecords,
  fields: DataFields,
  hashes: ReadonlyMap<string, string>,
): { mark?: string } {
  const indexed = transactions
    .flatMap(({ actions }) => actions)
    .filter(({ account, name }) => fields.of(account, name).length > 0);
  if (indexed.length === 0) return {};
  const abis = Object.fromEntries(indexed.map(({ account }) => [account, hashes.get(account) ?? '']));
  return { mark: dataMark(position.id, { fields: fields.keys, abis, rewrites: 0 }) };
}
