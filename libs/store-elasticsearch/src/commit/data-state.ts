import { parseDataField } from '@antelope-history/data-fields';
import type { DataAbi, JournalDocument, ProgressDocument } from '../indices/documents';

type DataState = Pick<ProgressDocument, 'data_fields' | 'data_abis'>;

/**
 * The indexed data fields, and the ABIs of their contracts, that the progress has after a block. A field that the block is not
 * indexed by is removed. The ABIs of a contract without indexed fields are removed, too: they are read anew when one of its
 * fields is indexed again.
 */
export function dataStateAfter(
  { data_fields: fields = {}, data_abis: abis = [], last_irreversible: irreversible }: ProgressDocument,
  { position, data_fields: keys = [], data_abis: changed }: JournalDocument,
): DataState {
  const added = Object.entries(changed?.after ?? {}).map(([contract, hash]): DataAbi => ({
    contract,
    block_num: position.num,
    hash,
  }));
  return {
    data_fields: Object.fromEntries(keys.map((key) => [key, fields[key] ?? position.num])),
    data_abis: withoutSuperseded([...ofContracts(abis, keys), ...added], irreversible?.num ?? 0),
  };
}

function ofContracts(abis: readonly DataAbi[], keys: readonly string[]): readonly DataAbi[] {
  if (abis.length === 0) return abis;
  const contracts = new Set(keys.map((key) => parseDataField(key)?.contract));
  return abis.filter(({ contract }) => contracts.has(contract));
}

/** Without those that an irreversible block has replaced: no fork brings them back. */
function withoutSuperseded(abis: readonly DataAbi[], irreversibleNum: number): DataAbi[] {
  return abis.filter(({ contract, block_num: num }, index) => {
    const next = abis.slice(index + 1).find((later) => later.contract === contract);
    return num > irreversibleNum || !next || next.block_num > irreversibleNum;
  });
}
