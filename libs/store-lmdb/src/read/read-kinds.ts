import type { ActionFilter } from '@antelope-history/store';
import { blockKey, kindKey, namesInKindKey } from '../format/keys';
import type { Snapshot, Tables } from '../format/tables';

/** The kind of a filter; undefined when no such action was ever stored. */
export function kindOf(tables: Tables, filter: ActionFilter, snapshot: Snapshot): number | undefined {
  return tables.kinds.get(kindKey(filter), { transaction: snapshot })?.readUInt32BE(0);
}

/** The contract and the action name of a kind that has both. */
export function namesOfKind(tables: Tables, kind: number, snapshot: Snapshot): { account: string; name: string } {
  const stored = tables.kindNames.get(blockKey(kind), { transaction: snapshot });
  return stored ? namesInKindKey(stored) : { account: '', name: '' };
}
