import type { AbiDecoder } from '@antelope-history/abi';
import { loadConfig } from '@antelope-history/app-runtime';
import { BlockData, DataFields } from '@antelope-history/data-fields';
import type { BlockRecords } from '@antelope-history/records';
import { documentsOf } from '@antelope-history/store-elasticsearch/documents';

/** The JSON of the documents of a chain's actions by their ids, as indexers with the default configuration write them. */
export function actionDocuments(blocks: readonly BlockRecords[]): Map<string, string> {
  const fields = new DataFields(loadConfig([], {}).index.dataFields);
  const decoders = new Map<string, AbiDecoder | undefined>();
  const actions = new Map<string, string>();
  for (const block of blocks) {
    const data = new BlockData(fields, block, (contract) => decoders.get(contract));
    for (const { kind, id, json } of documentsOf(block, { data, areAbisAssumed: false }, 'doc-values')) {
      if (kind === 'actions') actions.set(id, json);
    }
    for (const contract of fields.contracts) {
      const changed = data.changedTo(contract);
      if (changed) decoders.set(contract, changed.decoder);
    }
  }
  return actions;
}
