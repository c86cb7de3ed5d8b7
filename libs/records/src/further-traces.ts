import { ByteReader, readName } from '@antelope-history/abi';
import { readPackedAction } from './packed-action';

/**
 * The traces of an action after its contract's own: one per notified account. Those who authorized the action count each of them
 * among their traces, as the history plugin did.
 */
export interface FurtherTraces {
  /** Each once. */
  authorizers: string[];
  /** Global sequences, ascending; at least one. */
  sequences: number[];
}

/**
 * Reads them from a packed action record; undefined when it has none, or no authorizer. `firstSequence` is the first global
 * sequence of its transaction. Throws `DECODE_FAILED` on bytes that are not an action record.
 */
export function readFurtherTraces(bytes: Buffer, firstSequence: number): FurtherTraces | undefined {
  const reader = new ByteReader(bytes);
  // Flags, account and name.
  reader.skip(17);
  const authorizations = reader.varuint32();
  const actorsAt = reader.offset;
  reader.skip(16 * authorizations);
  reader.skip(reader.varuint32());
  if (authorizations === 0 || reader.varuint32() < 2) return undefined;
  const authorizers = new Set<string>();
  for (let index = 0; index < authorizations; index++) authorizers.add(readName(bytes, actorsAt + 16 * index));
  const sequences = Array.from(readPackedAction(bytes, firstSequence).traces, ({ globalSequence }) => globalSequence);
  return { authorizers: [...authorizers], sequences: sequences.slice(1).sort((left, right) => left - right) };
}
