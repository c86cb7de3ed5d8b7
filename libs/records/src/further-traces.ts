import { ByteReader, readName } from '@antelope-history/abi';

/**
 * The traces of an action after its contract's own, one per notified account, which follow it in the global sequence. Those who
 * authorized the action count each of them among their traces, as the history plugin did.
 */
export interface FurtherTraces {
  /** The accounts that authorized the action, each once. */
  authorizers: string[];
  /** At least 1. */
  count: number;
}

/** Bytes of the flags, the account and the name. */
const HEAD_BYTES = 17;

/**
 * Reads the further traces from a packed action record; undefined when it has none, or no authorizer. Throws `DECODE_FAILED` on
 * bytes that are not an action record.
 */
export function readFurtherTraces(bytes: Buffer): FurtherTraces | undefined {
  const reader = new ByteReader(bytes, HEAD_BYTES);
  const authorizations = reader.varuint32();
  const actorsAt = reader.offset;
  reader.skip(16 * authorizations);
  reader.skip(reader.varuint32());
  const count = reader.varuint32() - 1;
  if (authorizations === 0 || count < 1) return undefined;
  if (authorizations === 1) return { authorizers: [readName(bytes, actorsAt)], count };
  const authorizers = new Set<string>();
  for (let index = 0; index < authorizations; index++) authorizers.add(readName(bytes, actorsAt + 16 * index));
  return { authorizers: [...authorizers], count };
}
