import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import {
  type AppProcess,
  hasEnded,
  serviceEnvironment,
  startApp,
  startReplay,
  stop,
  untilCommitted,
} from '@antelope-history/processes';
import { ROUTES } from '@antelope-history/routes';
import { sampleFolder } from '@antelope-history/test-support/recordings';
import { CheckedClient } from '../src';

const CLIENTS = 8;
const REQUEST = { offset: 100 };
/** A program gives itself eight seconds to stop; a machine that is busy with other work needs more. */
const END_LIMIT_MS = 60_000;
const HEAP_MB = 100;
const THREADS = { HISTORY_API__THREADS: '2', HISTORY_INDEXER__DESERIALIZER_THREADS: '2' };

/**
 * Loaded into every thread of the service: a thread whose file has the name runs the code in the trigger file, as soon as there is
 * one. Of several threads the first one does.
 */
const preload = (file: string, trigger: string): string => `
  const { readFileSync, unlinkSync } = require('node:fs');
  const { isMainThread } = require('node:worker_threads');
  if (!isMainThread)
    setInterval(() => {
      if (!process.argv[1].endsWith(${JSON.stringify(file)})) return;
      let code;
      try {
        code = readFileSync(${JSON.stringify(trigger)}, 'utf8');
        unlinkSync(${JSON.stringify(trigger)});
      } catch {
        return;
      }
      if (code) eval(code);
    }, 10).unref();
`;

const FAILURES = {
  'ends by itself': 'process.exit(0)',
  throws: 'throw new Error("broken")',
  'has no memory left': 'const kept = []; for (;;) kept.push(new Array(1e5).fill({}))',
};

describe('a process with threads', () => {
  let folder: string;
  let replay: Awaited<ReturnType<typeof startReplay>>;
  let expected: string;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-'));
    replay = await startReplay(sampleFolder('leap-edge'));
    const service = start();
    try {
      await untilCommitted(path.join(folder, 'data'), replay.lastBlockNum);
      expected = await ask(await clientOf(service));
    } finally {
      await stop(service.child);
    }
  }, 120_000);
  afterAll(async () => {
    await stop(replay.child);
    rmSync(folder, { recursive: true });
  });

  /** The errors that it logs are not shown: Jest takes a line about memory for one of its own process. */
  function start(environment: NodeJS.ProcessEnv = {}): AppProcess {
    const base = serviceEnvironment(replay.url, path.join(folder, 'data'));
    return startApp('standalone', { environment: { ...base, ...THREADS, ...environment } });
  }

  async function failUnderLoad(service: AppProcess, breakThread: () => void): Promise<void> {
    const client = await clientOf(service);
    const outcomes = new Set<Outcome>();
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (!hasEnded(service.child)) {
        outcomes.add(await outcomeOf(client, expected));
        await setImmediate();
      }
    });
    while (!outcomes.has('right') && !hasEnded(service.child)) await setImmediate();
    const ended = once(service.child, 'exit', { signal: AbortSignal.timeout(END_LIMIT_MS) });
    breakThread();
    expect(await ended).toEqual([1, null]);
    await Promise.all(clients);
    expect([...outcomes].filter((outcome) => !['right', 'no connection', 503].includes(outcome))).toEqual([]);
  }

  it.each([
    ['api-thread.js', 'ends by itself'],
    ['api-thread.js', 'throws'],
    ['api-thread.js', 'has no memory left'],
    ['ingestion-thread.js', 'ends by itself'],
    ['ingestion-thread.js', 'has no memory left'],
    ['deserializer-thread.js', 'ends by itself'],
    ['deserializer-thread.js', 'has no memory left'],
  ] as const)(
    'ends with status 1 and sends no wrong response when its %s %s',
    async (file, failure) => {
      const trigger = path.join(folder, 'trigger');
      const loaded = path.join(folder, 'preload.cjs');
      writeFileSync(loaded, preload(file, trigger));
      const service = start({ NODE_OPTIONS: `--require ${loaded} --max-old-space-size=${HEAP_MB}` });
      try {
        // Whatever the failure before left is no obstacle.
        expect(await ask(await clientOf(service))).toBe(expected);
        await failUnderLoad(service, () => {
          // At once as a whole: a thread that reads an empty file would remove it and do nothing.
          writeFileSync(`${trigger}.new`, FAILURES[failure]);
          renameSync(`${trigger}.new`, trigger);
        });
      } finally {
        await stop(service.child);
      }
    },
    240_000,
  );

  it('responds as before when it starts after the last failure', async () => {
    const service = start();
    try {
      expect(await ask(await clientOf(service))).toBe(expected);
    } finally {
      await stop(service.child);
    }
  });
});

async function clientOf({ logged }: AppProcess): Promise<CheckedClient> {
  return new CheckedClient((await logged('gateway listening')).url ?? '');
}

async function ask(client: CheckedClient): Promise<string> {
  const { status, text } = await client.post(ROUTES.getActions.path, REQUEST);
  expect(status).toBe(200);
  return text;
}

/** What came of a request; a number is the status of an error. */
type Outcome = 'right' | 'wrong' | 'no connection' | number;

async function outcomeOf(client: CheckedClient, expected: string): Promise<Outcome> {
  const response = await client.post(ROUTES.getActions.path, REQUEST).catch(() => undefined);
  if (response === undefined) return 'no connection';
  if (response.status !== 200) return response.status;
  return response.text === expected ? 'right' : 'wrong';
}
