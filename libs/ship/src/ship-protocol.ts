import { parseAbiJson } from '@antelope-history/abi';
import { LayoutCompiler } from './layout-compiler';
import { compileResultReader, type ShipResult } from './result';
import { compileDeltaReader, type DeltaReader } from './table-delta';
import { compileTraceReader, type TraceReader } from './transaction-trace';

/** The reader of the socket's frames, compiled from the node's own ABI. All that the reader app needs. */
export interface ShipFrames {
  /** Takes a binary frame apart; the payloads stay packed. Throws `SHIP_MESSAGE_CORRUPT` or `DECODE_FAILED`. */
  readResult(message: Buffer): ShipResult;
}

/**
 * Whose JSON a block's answers take after, where nodes differ: EOSIO 2.0 leaves out fields that all later ones have
 * (EOSIO 2.1, Leap, Spring). Its socket alone does not know `action_trace_v1`.
 */
export type NodeGeneration = 'eosio-2.0' | 'leap';

/** The readers of a result's payloads, for the deserializer. */
export interface ShipProtocol extends ShipFrames {
  readTraces: TraceReader;
  readDeltas: DeltaReader;
  generation: NodeGeneration;
}

/** Compiles the frame reader from the text frame that opens every SHiP socket. */
export function createShipFrames(abiFrame: string): ShipFrames {
  return { readResult: compileResultReader(new LayoutCompiler(parseAbiJson(abiFrame))) };
}

/** Compiles all readers. Throws `SHIP_UNSUPPORTED` when the node's layouts lack what we need. */
export function createShipProtocol(abiFrame: string): ShipProtocol {
  const layouts = new LayoutCompiler(parseAbiJson(abiFrame));
  return {
    readResult: compileResultReader(layouts),
    readTraces: compileTraceReader(layouts),
    readDeltas: compileDeltaReader(layouts),
    generation: layouts.variantTypes('action_trace')?.includes('action_trace_v1') ? 'leap' : 'eosio-2.0',
  };
}
