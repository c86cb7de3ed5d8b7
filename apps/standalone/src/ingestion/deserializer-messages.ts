import type { PostedError } from '../threads/thread-messages';

/** A raw block as its queue encodes it. The bytes are the receiver's own. */
export interface DeserializerTask {
  id: number;
  raw: Uint8Array;
}

/** The block of records of a task as its queue encodes it: the receiver's own; undefined for a message without a block. */
export type DeserializerResult =
  { kind: 'records'; id: number; records: Uint8Array | undefined } | { kind: 'error'; id: number; error: PostedError };
