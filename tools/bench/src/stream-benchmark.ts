import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type AdapterSet,
  parseAdapterSet,
  parseNumber,
  startService,
  startSuite,
  stop,
  untilCommitted,
} from '@antelope-history/processes';
import { createShipReplay } from '@antelope-history/ship-replay';
import { openRecording } from '@antelope-history/test-support/recordings';
import { writeBenchmarkFile } from './benchmark-file';
import { BLOCKS, readOptions } from './command-line';
import { quantile } from './load';
import { measureStreamLatency, type StreamLatency } from './stream-latency';

const USAGE = `npm run bench -- stream --recording DIR [--set embedded|distributed] [--blocks N] [--out FILE]

Follows the head of a recorded chain, block by block, and prints the time from the moment when the node has a block to its
event on the stream, as server-sent events and over WebSocket, and to the first response that shows it to a client that polls
every 5 ms. --out writes all figures as JSON.
`;
const DEFAULT_BLOCKS = '300';

/** From a block at the node to its event on the stream, and to a response that shows it. */
export async function benchStream(args: string[]): Promise<void> {
  const options = {
    recording: { type: 'string' },
    set: { type: 'string', default: 'embedded' },
    blocks: { type: 'string', default: DEFAULT_BLOCKS },
    out: { type: 'string' },
    help: { type: 'boolean' },
  } as const;
  const values = readOptions(args, { usage: USAGE, options, required: ['recording'] });
  if (!values) return;
  const blocks = parseNumber('blocks', values.blocks, BLOCKS);
  const latency = await measure(values.recording, parseAdapterSet(values.set), blocks);
  print(`${latency.response.length} blocks, ${values.set}: milliseconds from the node to the client`);
  printRow('a response shows the block', latency.response);
  printRow('server-sent event', latency.serverSentEvents);
  printRow('WebSocket message', latency.webSocket);
  writeBenchmarkFile(values.out, {
    benchmark: 'stream',
    options: { blocks },
    figures: { set: values.set, ...latency },
  });
}

async function measure(folder: string, set: AdapterSet, blocks: number): Promise<StreamLatency> {
  const recording = openRecording(folder);
  const position = Math.max(1, recording.messages.length - blocks);
  const replay = await createShipReplay({ recording, pace: 'manual', position });
  const data = mkdtempSync(path.join(tmpdir(), 'antelope-history-bench-'));
  const environment = { HISTORY_SHIP__SILENCE_SECONDS: '0' };
  try {
    if (set === 'distributed') {
      const suite = await startSuite({ shipUrl: replay.url, logFolder: data, environment });
      try {
        const head = recording.messages[position - 1]?.thisBlock;
        if (head) await suite.untilCommitted(head);
        return await measureStreamLatency(replay, recording, suite.url, blocks);
      } finally {
        await suite.stop();
      }
    }
    const service = startService(replay.url, data, environment);
    try {
      const url = await service.gateway;
      await untilCommitted(data, replay.stats.headBlockNum);
      return await measureStreamLatency(replay, recording, url, blocks);
    } finally {
      await stop(service.child);
    }
  } finally {
    await replay.close();
    rmSync(data, { recursive: true, force: true });
  }
}

function printRow(name: string, milliseconds: readonly number[]): void {
  const sorted = [...milliseconds].sort((left, right) => left - right);
  const at = (share: number): string => quantile(sorted, share).toFixed(1);
  print(`${name.padEnd(28)} p50 ${at(0.5).padStart(7)}   p99 ${at(0.99).padStart(7)}   longest ${at(1).padStart(7)}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
