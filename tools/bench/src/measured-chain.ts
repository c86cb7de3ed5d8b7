import { generateOnblockChain } from '@antelope-history/chain-generator';
import { startReplay, stop } from '@antelope-history/processes';
import { createShipReplay } from '@antelope-history/ship-replay';
import { openRecording, type Recording } from '@antelope-history/test-support/recordings';
import { continueChain, UNVERIFIED } from './growth/continued-chain';

/** A chain that a benchmark indexes. */
export interface MeasuredChain {
  recording: Recording;
  /** What the configuration of the apps needs for it, as environment variables. */
  environment?: Record<string, string>;
  /** Serves the chain on a state history socket. The node is far ahead, as in a backfill; otherwise each block is the head block. */
  serve(): Promise<ServedChain>;
}

export interface ServedChain {
  /** URL of the socket. */
  url: string;
  stop(): Promise<void>;
}

/** A recording, which a process of its own serves. */
export function recordedChain(folder: string): MeasuredChain {
  return {
    recording: openRecording(folder),
    async serve() {
      const replay = await startReplay(folder, ['--at-end']);
      return { url: replay.url, stop: () => stop(replay.child) };
    },
  };
}

/** A recording whose blocks follow each other `rounds` times, which this process serves. */
export function repeatedChain(folder: string, rounds: number): MeasuredChain {
  const { recording } = continueChain(openRecording(folder), rounds);
  return { recording, environment: UNVERIFIED, serve: () => serveHere(recording) };
}

/** Blocks that contain `onblock` only, which this process serves: they tell what a block costs besides its actions. */
export function onblockChain(blocks: number): MeasuredChain {
  const recording = generateOnblockChain(blocks);
  return { recording, serve: () => serveHere(recording) };
}

async function serveHere(recording: Recording): Promise<ServedChain> {
  const replay = await createShipReplay({ recording, position: 'end', chainId: recording.chainId ?? '' });
  return { url: replay.url, stop: () => replay.close() };
}
