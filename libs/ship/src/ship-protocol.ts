import { parseAbiJson } from '@antelope-history/abi';
import type { NodeGeneration } from '@antelope-history/records';
import { MAX_ABI_FRAME_BYTES, orUnsupported, unsupported } from './layout-bounds';
import { LayoutCompiler } from './layout-compiler';
import { FINALITY_REQUEST } from './requests';
import { compileResultReader, type ShipResult } from './result';
import { compileDeltaReader, type DeltaReader } from './table-delta';
import { compileTraceReader, type TraceReader } from './transaction-trace';

/** The reader of the socket's frames, compiled from the node's own ABI. The reader app needs only this part. */
export interface ShipFrames {
  /** Reads a binary frame; the payloads stay packed. Throws `SHIP_MESSAGE_CORRUPT` or `DECODE_FAILED`. */
  readResult(message: Buffer): ShipResult;
  /** Whether the node sends finality data on request, as Spring does. EOSIO 2.1 has another request of that name. */
  sendsFinalityData: boolean;
}

/** The readers of frames and of their payloads, for the deserializer. */
export interface ShipProtocol extends ShipFrames {
  readTraces: TraceReader;
  readDeltas: DeltaReader;
  generation: NodeGeneration;
}

/**
 * Compiles all readers from the ABI, the first frame of every SHiP socket. Throws `SHIP_UNSUPPORTED` when the frame is not an ABI, exceeds the limits, or lacks a required
 * field. The readers throw only `DECODE_FAILED`, `SHIP_MESSAGE_CORRUPT` and, for a layout that is compiled at its first use,
 * `SHIP_UNSUPPORTED`.
 */
export function createShipProtocol(abiFrame: string): ShipProtocol {
  const layouts = compileLayouts(abiFrame);
  return {
    ...framesOf(layouts),
    readTraces: compileTraceReader(layouts),
    readDeltas: compileDeltaReader(layouts),
    generation: layouts.variantTypes('action_trace')?.includes('action_trace_v1') ? 'eosio-2.1+' : 'eosio-2.0',
  };
}

function framesOf(layouts: LayoutCompiler): ShipFrames {
  const { tag, name } = FINALITY_REQUEST;
  return {
    readResult: compileResultReader(layouts),
    sendsFinalityData:
      layouts.variantTypes('request')?.[tag] === name && layouts.fieldsOf(name)?.has('fetch_finality_data') === true,
  };
}

function compileLayouts(abiFrame: string): LayoutCompiler {
  if (abiFrame.length > MAX_ABI_FRAME_BYTES) {
    throw unsupported(`its length is ${abiFrame.length} characters, the limit is ${MAX_ABI_FRAME_BYTES}`);
  }
  return new LayoutCompiler(orUnsupported(() => parseAbiJson(abiFrame)));
}
