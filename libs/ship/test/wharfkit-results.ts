import type { Recording } from '@antelope-history/test-support/recordings';
import { ABI, Serializer } from '@wharfkit/antelope';

/** A message of a recording, decoded by wharfkit with the recording's own ABI. */
export interface WharfkitResult {
  head: WharfkitPosition;
  last_irreversible: WharfkitPosition;
  this_block: WharfkitPosition | null;
  prev_block: WharfkitPosition | null;
  /** Hex digits, like `traces` and `deltas`. */
  block: string | null;
  traces: string | null;
  deltas: string | null;
}

export interface WharfkitPosition {
  block_num: number;
  block_id: string;
}

export interface WharfkitDelta {
  name: string;
  rows: { present: boolean; data: string }[];
}

/** Decodes the messages of a recording to wharfkit's JSON. */
export class WharfkitDecoder {
  private readonly abi: ABI;

  constructor(recording: Recording) {
    this.abi = ABI.from(recording.abi);
  }

  decode(type: string, data: string | Uint8Array): unknown {
    return Serializer.objectify(Serializer.decode({ data, type, abi: this.abi, ignoreInvalidUTF8: true }));
  }

  result(message: Uint8Array): WharfkitResult {
    const [kind, result] = this.decode('result', message) as [string, WharfkitResult];
    expect(kind).toBe('get_blocks_result_v0');
    return result;
  }

  deltas(packed: string): WharfkitDelta[] {
    return (this.decode('table_delta[]', packed) as [string, WharfkitDelta][]).map(([, delta]) => delta);
  }
}
