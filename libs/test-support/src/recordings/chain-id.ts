import type { BlocksResult } from './blocks-result';
import { ByteCursor } from './byte-cursor';

/**
 * The chain id that a recording carries: the `global_property` row of the full state, which every node sends with
 * the first deltas of its history (block 1 or 2 of a chain, or the block of the snapshot that it was started from).
 * `undefined` when these deltas have no such row, because the recording starts in the middle of a chain.
 */
export function findChainId(messages: Iterable<BlocksResult & { bytes: Buffer }>): string | undefined {
  for (const { bytes, deltas } of messages) {
    if (deltas.present) return chainIdOfDeltas(new ByteCursor(bytes, deltas.start, deltas.end));
  }
  return undefined;
}

/** Walks `table_delta[]`: variant tag, name, rows of (present, length, data). */
function chainIdOfDeltas(cursor: ByteCursor): string | undefined {
  for (let tables = cursor.varuint(); tables > 0; tables--) {
    cursor.varuint();
    const wanted = cursor.text() === 'global_property';
    for (let rows = cursor.varuint(); rows > 0; rows--) {
      cursor.uint8();
      const length = cursor.varuint();
      if (wanted) return chainIdOfGlobalProperty(cursor);
      cursor.skip(length);
    }
  }
  return undefined;
}

const GLOBAL_PROPERTY_V1 = 1;
const CHAIN_CONFIG_BYTES = 68;
const MAX_ACTION_RETURN_VALUE_BYTES = 4;

/** `global_property_v1`: proposed_schedule_block_num?, proposed_schedule, configuration, chain_id. Version 0 has no chain id. */
function chainIdOfGlobalProperty(cursor: ByteCursor): string | undefined {
  if (cursor.varuint() !== GLOBAL_PROPERTY_V1) return undefined;
  if (cursor.uint8() !== 0) cursor.skip(4);
  skipProducerAuthoritySchedule(cursor);
  const configVersion = cursor.varuint();
  cursor.skip(CHAIN_CONFIG_BYTES + (configVersion === 0 ? 0 : MAX_ACTION_RETURN_VALUE_BYTES));
  return cursor.hex(32);
}

const NAME_BYTES = 8;
const KEY_POINT_BYTES = 33;
const WEIGHT_BYTES = 2;
const WEBAUTHN_KEY = 2;

function skipProducerAuthoritySchedule(cursor: ByteCursor): void {
  cursor.skip(4);
  for (let producers = cursor.varuint(); producers > 0; producers--) {
    cursor.skip(NAME_BYTES);
    cursor.varuint();
    cursor.skip(4);
    for (let keys = cursor.varuint(); keys > 0; keys--) {
      const keyType = cursor.varuint();
      cursor.skip(KEY_POINT_BYTES);
      if (keyType === WEBAUTHN_KEY) {
        cursor.skip(1);
        cursor.text();
      }
      cursor.skip(WEIGHT_BYTES);
    }
  }
}
