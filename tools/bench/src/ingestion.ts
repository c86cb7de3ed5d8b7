import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Recording } from '@antelope-history/recordings';
import { createShipProtocol, encodeAck, encodeBlocksRequest, END_OF_CHAIN } from '@antelope-history/ship';
import { openLmdbStore } from '@antelope-history/store-lmdb';
import WebSocket from 'ws';
import { firstLine, outputLines, peakMemory, startProgram, stop } from './child';

export interface IngestionFigures {
  /** From the first message asked for to the last block committed. */
  seconds: number;
  diskBytes: number;
  /** Undefined where the system does not tell. */
  peakMemoryBytes: number | undefined;
  committed: number;
}

const POLL_MS = 5;
const LIMIT_MS = 600_000;
const IN_FLIGHT = 64;

/** Runs the whole service, as `npm start` does, on a recording served by another process over a real socket. */
export async function measureIngestion(folder: string, recording: Recording): Promise<IngestionFigures> {
  const data = mkdtempSync(path.join(tmpdir(), 'antelope-history-bench-'));
  const replay = startProgram('tools/ship-replay/dist/main.js', ['--recording', folder, '--port', '0']);
  const url = (await firstLine(replay)).split(' ')[0] as string;
  const service = startProgram('apps/standalone/dist/main.js', [], {
    HISTORY_SHIP__URLS: url,
    HISTORY_STORE__PATH: data,
    HISTORY_GATEWAY__PORT: '0',
  });
  try {
    const startedAt = await readingSince(service);
    const committed = await untilCommitted(data, recording);
    const figures = {
      seconds: (Date.now() - startedAt) / 1000,
      committed,
      diskBytes: statSync(path.join(data, 'data.mdb')).blocks * 512,
      peakMemoryBytes: service.pid === undefined ? undefined : peakMemory(service.pid),
    };
    return figures;
  } finally {
    await stop(service);
    await stop(replay);
    rmSync(data, { recursive: true, force: true });
  }
}

/** When the service asked for the first block, in milliseconds since 1970, by its own log. */
async function readingSince(service: ChildProcess): Promise<number> {
  for await (const line of outputLines(service)) {
    const entry = JSON.parse(line) as { msg: string; time: number };
    if (entry.msg === 'reading state history') return entry.time;
  }
  throw new Error('the service ended before it read a block');
}

async function untilCommitted(data: string, recording: Recording): Promise<number> {
  const last = recording.messages.at(-1)?.thisBlock?.num ?? 0;
  const store = await openWhenThere(data);
  try {
    for (let waited = 0; waited < LIMIT_MS; waited += POLL_MS) {
      const { committed } = await store.getStatus();
      if (committed?.num === last) return committed.num;
      await sleep(POLL_MS);
    }
    throw new Error('the service did not commit the recording in ten minutes');
  } finally {
    await store.close();
  }
}

async function openWhenThere(data: string): Promise<Awaited<ReturnType<typeof openLmdbStore>>> {
  for (let tries = 0; ; tries++) {
    try {
      return await openLmdbStore({ path: data, mapSizeBytes: 0, readOnly: true });
    } catch (error) {
      if (tries > 1000) throw error;
      await sleep(POLL_MS);
    }
  }
}

/** The limit: a client that only acknowledges what comes from the same socket. Seconds for the whole recording. */
export async function measureBareSocket(folder: string, recording: Recording): Promise<number> {
  const replay = startProgram('tools/ship-replay/dist/main.js', ['--recording', folder, '--port', '0']);
  const url = (await firstLine(replay)).split(' ')[0] as string;
  try {
    return await readAll(url, recording);
  } finally {
    await stop(replay);
  }
}

function readAll(url: string, recording: Recording): Promise<number> {
  const expected = recording.messages.length;
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 1 << 30 });
    const request = { startBlock: recording.messages[0]?.thisBlock?.num ?? 1, endBlock: END_OF_CHAIN, havePositions: [] };
    let start = 0n;
    let received = 0;
    socket.on('error', reject);
    socket.on('message', (data, isBinary) => {
      if (!isBinary) {
        createShipProtocol((data as Buffer).toString());
        start = process.hrtime.bigint();
        socket.send(encodeBlocksRequest({ ...request, maxMessagesInFlight: IN_FLIGHT, irreversibleOnly: false }));
        return;
      }
      socket.send(encodeAck(1));
      if (++received < expected) return;
      socket.close();
      resolve(Number(process.hrtime.bigint() - start) / 1e9);
    });
  });
}
