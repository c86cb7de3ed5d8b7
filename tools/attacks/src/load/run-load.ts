import { createRandom } from '@antelope-history/test-support/random';
import { sampleFolder } from '@antelope-history/test-support/recordings';
import { startIndexedService } from '@antelope-history/processes';
import { ClientFigures } from './figures';
import { honest, HonestResponses } from './honest-load';
import { createHonestRequests, inAllCodings } from '../honest-requests';
import { HOSTILE_CLIENTS } from './hostile-clients';
import type { LoadContext } from './load-context';
import { ServiceWatch } from './service-watch';

export interface LoadOptions {
  connections: number;
  seconds: number;
  seed: number;
  /** The service's heap is limited to half of it. The run ends when its resident memory exceeds it. */
  memoryLimitBytes: number;
}

export interface LoadFigures {
  clients: ClientFigures[];
  responses: HonestResponses;
  watch: ServiceWatch;
  /** The faults that were found; empty when there are none. */
  faults: string[];
}

/** Shares of all connections. The rest is honest. */
const SHARES: Record<keyof typeof HOSTILE_CLIENTS, number> = {
  slow: 0.15,
  silent: 0.1,
  huge: 0.1,
  pipelining: 0.1,
  'non-reading': 0.1,
  reconnecting: 0.05,
};
const SAMPLE = sampleFolder('leap-edge');
const MEMORY_SAMPLES_EVERY_MS = 10_000;
/** Connections per address: several people share a router, and attackers have fewer addresses than connections. */
const HONEST_PER_ADDRESS = 10;
const HOSTILE_PER_ADDRESS = 25;
const MIB = 1024 * 1024;

/** Starts a service of its own over a recorded chain, and runs all clients against it. */
export async function runLoad({ connections, seconds, seed, memoryLimitBytes }: LoadOptions): Promise<LoadFigures> {
  const heapMib = Math.floor(memoryLimitBytes / 2 / MIB);
  const service = await startIndexedService(SAMPLE, {
    HISTORY_LOG_LEVEL: 'info',
    NODE_OPTIONS: `--max-old-space-size=${heapMib}`,
  });
  const requests = inAllCodings(createHonestRequests(SAMPLE));
  const responses = new HonestResponses();
  const watch = new ServiceWatch(service);
  const faults: string[] = [];
  try {
    await responses.recordAlone(service.url, requests);
    const endsAt = performance.now() + seconds * 1_000;
    const { hostname: host, port } = new URL(service.url);
    const run = { host, port: Number(port), endsAt };
    const clients = createClients(
      { connections, seed, run },
      (context) => honest(context, requests, responses),
      requests,
    );
    const watching = watch.run(MEMORY_SAMPLES_EVERY_MS, (bytes) => {
      // The system would kill a process above the limit.
      if (bytes > memoryLimitBytes || bytes === 0) clients.end();
    });
    await clients.done;
    watch.stop();
    await watching;
    if (!(await watch.isStillLive())) faults.push('the service no longer responds');
    faults.push(...findFaults(responses, watch, memoryLimitBytes, clients.figures));
    return { clients: clients.figures, responses, watch, faults };
  } finally {
    await watch.close();
    await service.stop();
  }
}

interface Clients {
  figures: ClientFigures[];
  done: Promise<unknown>;
  /** Ends the run early. */
  end(): void;
}

function createClients(
  { connections, seed, run }: { connections: number; seed: number; run: Pick<LoadContext, 'host' | 'port' | 'endsAt'> },
  runHonest: (context: LoadContext) => Promise<void>,
  requests: ReturnType<typeof createHonestRequests>,
): Clients {
  const contexts: LoadContext[] = [];
  const start = (
    behaviour: string,
    count: number,
    network: number,
    perAddress: number,
    client: (context: LoadContext) => Promise<void>,
  ) => {
    const figures = new ClientFigures(behaviour);
    const all = Array.from({ length: count }, (_, index) => {
      const localAddress = addressOf(network, 1 + Math.floor(index / perAddress));
      const context = { ...run, figures, localAddress, random: createRandom(seed + network * 100_000 + index) };
      contexts.push(context);
      return client(context);
    });
    return { figures, done: Promise.all(all) };
  };
  let rest = connections;
  const hostile = Object.entries(HOSTILE_CLIENTS).map(([behaviour, client], index) => {
    const count = Math.round(connections * SHARES[behaviour as keyof typeof HOSTILE_CLIENTS]);
    rest -= count;
    return start(behaviour, count, 101 + index, HOSTILE_PER_ADDRESS, (context) => client(context, requests));
  });
  const started = [start('honest', rest, 100, HONEST_PER_ADDRESS, runHonest), ...hostile];
  return {
    figures: started.map(({ figures }) => figures),
    done: Promise.all(started.map(({ done }) => done)),
    end: () => contexts.forEach((context) => void (context.endsAt = 0)),
  };
}

/** The loopback interface has many addresses on Linux; elsewhere all clients share one. */
function addressOf(network: number, host: number): string | undefined {
  return process.platform === 'linux' ? `127.0.${network}.${host}` : undefined;
}

function findFaults(
  { mismatches }: HonestResponses,
  { peakMemory, operationsLive, publicLive }: ServiceWatch,
  memoryLimitBytes: number,
  clients: readonly ClientFigures[],
): string[] {
  const faults: string[] = [];
  if (mismatches > 0) faults.push(`${mismatches} honest responses differ from those without other clients`);
  if (peakMemory > memoryLimitBytes) faults.push(`the service takes ${peakMemory} bytes, above ${memoryLimitBytes}`);
  const liveFailures = operationsLive.failures + publicLive.failures;
  if (liveFailures > 0) faults.push(`/live failed ${liveFailures} times`);
  if (operationsLive.count === 0 || publicLive.count === 0) faults.push('/live was never probed');
  const broken = clients.find(({ behaviour }) => behaviour === 'honest')?.broken ?? 0;
  if (broken > 0) faults.push(`${broken} honest requests got no whole response`);
  return faults;
}
