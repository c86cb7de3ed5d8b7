import type { KeyValue } from '@antelope-history/key-value';
import type { HealthResponse, HealthStatus } from '@antelope-history/schemas';
import type { ProgramContext } from '../program';
import { readServiceVersion } from '../version';
import { type HeartbeatsOptions, startHeartbeats } from './heartbeats';
import { startOperations } from './operations-listener';
import { operationsRoutes } from './operations-routes';

/** How a worker is, and where it stands. */
export interface WorkerHealth {
  /** `down`: it can not do its work now. */
  status: HealthStatus;
  /** What it needs. */
  components: HealthResponse['components'];
  /** Null while they are not known. */
  facts: { head_block_num?: number | null; [name: string]: number | string | null | undefined };
}

export interface WorkerOptions {
  /** `reader`: the program's name. */
  kind: string;
  keyValue: KeyValue;
  work: HeartbeatsOptions['work'];
  /** Where it answers /health, /live and /metrics; nowhere without a port. */
  address: { host: string; port: number | undefined };
}

export interface WorkerOperations {
  /** From now on the worker is as this says. Until then it is down: it waits for what it needs. */
  showHealth(readHealth: () => Promise<WorkerHealth>): void;
}

/** Shows how a worker is to those who watch it, until the program stops. Rejects as `startOperations`. */
export async function startWorkerOperations(
  { log, registry, onStop, fail }: Pick<ProgramContext, 'log' | 'registry' | 'onStop' | 'fail'>,
  { kind, keyValue, work, address }: WorkerOptions,
): Promise<WorkerOperations> {
  let readHealth = (): Promise<WorkerHealth> => Promise.resolve({ status: 'down', components: {}, facts: {} });
  const version = readServiceVersion();
  const answerHealth = async () => {
    const { status, facts, components } = await readHealth();
    return { status, version, ...facts, components };
  };
  const routes = operationsRoutes(answerHealth, registry);
  await startOperations({ log, onStop, fail }, { name: kind, address, routes });
  const readState = async () => {
    const { status, facts } = await readHealth();
    return { status, headBlock: facts.head_block_num ?? undefined };
  };
  const heartbeats = startHeartbeats({ kind, keyValue, registry, work, readState });
  onStop(() => heartbeats.stop());
  return {
    showHealth(read) {
      readHealth = read;
      heartbeats.beat();
    },
  };
}
