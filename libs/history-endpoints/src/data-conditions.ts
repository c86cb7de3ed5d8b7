import { type DataField, parseDataField } from '@antelope-history/data-fields';
import type { SentDataFilters } from '@antelope-history/endpoint-kit';
import { type Bound, HistoryError } from '@antelope-history/schemas';
import { type ChainStatus, type DataCondition, type HistoryReader, slotOf } from '@antelope-history/store';

/** Each filter beyond the first makes the store compare lists. */
const MAX_FILTERS = 4;
const MAX_TEXT = 1024;

/**
 * The conditions of a request's filters on action data. Throws `INVALID_REQUEST` for a field that is not indexed, or that is
 * indexed only from a block above the lower bound of the request on.
 */
export async function toDataConditions(
  filters: SentDataFilters,
  after: Bound | undefined,
  reader: Pick<HistoryReader, 'getStatus' | 'getBlock'>,
): Promise<DataCondition[]> {
  if (filters.size === 0) return [];
  if (filters.size > MAX_FILTERS) throw refusal(`send at most ${MAX_FILTERS} filters on action data`);
  const status = await reader.getStatus();
  const conditions: DataCondition[] = [];
  for (const [name, value] of filters) {
    const fields = indexedFields(name, status);
    await assertIndexed(name, fields, after, status, reader);
    conditions.push({ fields, text: toText(name, value) });
  }
  return conditions;
}

/** The indexed fields of this name, of any contract. */
function indexedFields(name: string, { dataFields }: ChainStatus): DataField[] {
  const indexed = Object.keys(dataFields).flatMap((key) => parseDataField(key) ?? []);
  const fields = indexed.filter(({ action, field }) => `${action}.${field}` === name);
  if (fields.length > 0) return fields;
  const names = [...new Set(indexed.map(({ action, field }) => `${action}.${field}`))].join(', ');
  throw refusal(
    `${name}: actions are not filtered by this field; ${names === '' ? 'none is indexed' : `indexed: ${names}`}`,
  );
}

/** Throws when the store does not have the values of all blocks that the request asks for. */
async function assertIndexed(
  name: string,
  fields: readonly DataField[],
  after: Bound | undefined,
  { dataFields, firstBlockNum }: ChainStatus,
  reader: Pick<HistoryReader, 'getBlock'>,
): Promise<void> {
  const from = Math.max(...fields.map(({ key }) => dataFields[key] ?? 0));
  // A store without a first block is empty or has only the block of a snapshot, so there is nothing to search.
  if (firstBlockNum === undefined || from <= firstBlockNum) return;
  const isAbove =
    after && ('blockNum' in after ? after.blockNum >= from : slotOf(after.timeMs) >= (await slotOfBlock(from, reader)));
  if (!isAbove) throw refusal(`${name}: its values are indexed from block ${from} on; give after: ${from} or later`);
}

/** The time of a block in half-second slots; a packed block begins with it (nodeos block_header.hpp). */
async function slotOfBlock(num: number, reader: Pick<HistoryReader, 'getBlock'>): Promise<number> {
  const { block } = await reader.getBlock({ num });
  return block ? block.block.readUInt32LE(0) : Infinity;
}

function toText(name: string, value: unknown): string {
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  if (!isScalar || String(value).length > MAX_TEXT) {
    throw refusal(`${name}: give a text of at most ${MAX_TEXT} characters, a number, true or false`);
  }
  // JSON.parse has already rounded a larger number: to another value, whose rows would be returned.
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw refusal(`${name}: send a number beyond 2^53 as text, in quotes`);
  }
  // A node shows a bool as 1 or 0 (fc: bool is packed and shown as an integer).
  return typeof value === 'boolean' ? String(Number(value)) : String(value);
}

function refusal(message: string): HistoryError {
  return new HistoryError('INVALID_REQUEST', message);
}
