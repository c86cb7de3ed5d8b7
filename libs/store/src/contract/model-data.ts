import { createAbiDecoder } from '@antelope-history/abi';
import type { StoredAction } from '../stored';
import { sequenceOf } from './model-rows';

/** The data of an action by field, as texts, as the ABI in force says; `abiBefore` reads the chain from its beginning. */
export function dataTextsOf(
  row: StoredAction,
  abiBefore: (request: { account: string; blockNum: number; sequence: number }) => Buffer | undefined,
): Map<string, string> {
  const { account, name, data } = row.action;
  const abi = abiBefore({ account, blockNum: row.blockNum, sequence: sequenceOf(row) });
  const decoded = abi && createAbiDecoder(abi)?.decodeAction(name, data);
  const entries = Object.entries(typeof decoded === 'object' && decoded !== null ? decoded : {});
  return new Map(
    entries
      .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
      .map(([field, value]) => [`${account}:${name}.${field}`, String(value)]),
  );
}
