import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Recording } from '@antelope-history/test-support/recordings';
import { peakMemory, startReplay, startService, stop, untilCommitted } from '@antelope-history/processes';
import { encodeAck, encodeBlocksRequest, END_OF_CHAIN } from '@antelope-history/ship';
import WebSocket from 'ws';

export interface IngestionFigures {
  /** Time from the request for the first block to the commit of the last block. */
  seconds: number;
  diskBytes: number;
  /** Undefined where the system does not report it. */
  peakMemoryBytes: number | undefined;
}

const IN_FLIGHT = 64;
/** The node is far ahead, as in a backfill; otherwise every block is the head block and is committed alone. */
const AT_END = ['--at-end'];

/** Runs the whole service as `npm start` does, on a recording that another process serves over a socket. */
export async function measureIngestion(folder: string, recording: Recording): Promise<IngestionFigures> {
  const data = mkdtempSync(path.join(tmpdir(), 'antelope-history-bench-'));
  const replay = await startReplay(folder, AT_END);
  const service = startService(replay.url, data);
  try {
    const startedAt = await service.reading;
    await untilCommitted(data, recording.messages.at(-1)?.thisBlock?.num ?? 0);
    return {
      seconds: (Date.now() - startedAt) / 1000,
      diskBytes: statSync(path.join(data, 'data.mdb')).blocks * 512,
      peakMemoryBytes: service.child.pid === undefined ? undefined : peakMemory(service.child.pid),
    };
  } finally {
    await stop(service.child);
    await stop(replay.child);
    rmSync(data, { recursive: true, force: true });
  }
}

/** The limit: the seconds in which a client that only acknowledges reads the whole recording from the same socket. */
export async function measureBareSocket(folder: string, recording: Recording): Promise<number> {
  const replay = await startReplay(folder, AT_END);
  try {
    return await readAll(replay.url, recording);
  } finally {
    await stop(replay.child);
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
