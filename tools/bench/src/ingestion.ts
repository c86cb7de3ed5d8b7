import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Recording } from '@antelope-history/test-support/recordings';
import { anonymousMemory, peakMemory, startService, stop, untilCommitted } from '@antelope-history/processes';
import { encodeAck, encodeBlocksRequest, END_OF_CHAIN } from '@antelope-history/ship';
import WebSocket from 'ws';
import type { MeasuredChain } from './measured-chain';
import { processorSeconds, threadSeconds } from './processor-time';

export interface IngestionFigures {
  /** Time from the request for the first block to the commit of the last block. */
  seconds: number;
  /** Processor time of all threads of the service in these seconds; undefined where the system does not report it. */
  processorSeconds: number | undefined;
  /** The part of the busiest thread, which no further processor makes shorter. */
  busiestThreadSeconds: number | undefined;
  diskBytes: number;
  /** Peak resident memory; undefined where the system does not report it. */
  peakMemoryBytes: number | undefined;
  /** The same without the pages of the store's file, at the end of the run. */
  ownMemoryBytes: number | undefined;
}

const IN_FLIGHT = 64;

export interface IngestionOptions {
  /** Adds to the configuration of the service. */
  environment?: NodeJS.ProcessEnv;
  /** Called with the folder of the store before it is removed. */
  then?(store: string): Promise<void>;
}

/** Runs the whole service as `npm start` does, on a chain that is served over a socket. */
export async function measureIngestion(
  { recording, serve }: MeasuredChain,
  { environment = {}, then = () => Promise.resolve() }: IngestionOptions = {},
): Promise<IngestionFigures> {
  const data = mkdtempSync(path.join(tmpdir(), 'antelope-history-bench-'));
  const served = await serve();
  const service = startService(served.url, data, environment);
  const { pid = 0 } = service.child;
  try {
    const startedAt = await service.reading;
    const [usedBefore, threadsBefore] = [processorSeconds(pid), threadSeconds(pid)];
    await untilCommitted(data, recording.messages.at(-1)?.thisBlock?.num ?? 0);
    const seconds = (Date.now() - startedAt) / 1000;
    const usedAfter = processorSeconds(pid);
    const threads = [...threadSeconds(pid)].map(([id, used]) => used - (threadsBefore.get(id) ?? 0));
    const figures: IngestionFigures = {
      seconds,
      processorSeconds: usedAfter === undefined ? undefined : usedAfter - (usedBefore ?? 0),
      busiestThreadSeconds: threads.length === 0 ? undefined : Math.max(...threads),
      diskBytes: statSync(path.join(data, 'data.mdb')).blocks * 512,
      peakMemoryBytes: peakMemory(pid),
      ownMemoryBytes: anonymousMemory(pid),
    };
    await stop(service.child);
    await then(data);
    return figures;
  } finally {
    await stop(service.child);
    await served.stop();
    rmSync(data, { recursive: true, force: true });
  }
}

/** The limit: the seconds in which a client that only acknowledges reads the whole recording from the same socket. */
export async function measureBareSocket({ recording, serve }: MeasuredChain): Promise<number> {
  const served = await serve();
  try {
    return await readAll(served.url, recording);
  } finally {
    await served.stop();
  }
}

function readAll(url: string, recording: Recording): Promise<number> {
  const expected = recording.messages.length;
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 1 << 30 });
    const startBlock = recording.messages[0]?.thisBlock?.num ?? 1;
    const request = { startBlock, endBlock: END_OF_CHAIN, havePositions: [], irreversibleOnly: false };
    let start = 0n;
    let received = 0;
    socket.on('error', reject);
    socket.on('message', (_, isBinary) => {
      if (!isBinary) {
        start = process.hrtime.bigint();
        socket.send(encodeBlocksRequest({ ...request, maxMessagesInFlight: IN_FLIGHT }));
        return;
      }
      socket.send(encodeAck(1));
      if (++received < expected) return;
      socket.close();
      resolve(Number(process.hrtime.bigint() - start) / 1e9);
    });
  });
}
