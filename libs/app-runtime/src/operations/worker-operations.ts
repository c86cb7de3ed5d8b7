import type { KeyValue } from '@antelope-history/key-value';
import type { HealthResponse, HealthStatus } from '@antelope-history/schemas';
import type { ProgramContext } from '../program';
import { readServiceVersion } from '../version';
import { type HeartbeatsOptions, startHeartbeats } from './heartbeats';
import { startOperations } from './operations-listener';
import { operationsRoutes } from './operations-routes';

/** The health of a worker and its position on the chain. */
export interface WorkerHealth {
  /** `down`: the worker cannot process blocks. */
  status: HealthStatus;
  /** The servers that it needs. */
  components: HealthResponse['components'];
  /** Further fields of the health page; null while they are unknown. */
  facts: { head_block_num?: number | null; [name: string]: number | string | null | undefined };
}

export interface WorkerOptions {
  /** The name of the program, for example `reader`. */
  kind: string;
  keyValue: KeyValue;
  work: HeartbeatsOptions['work'];
  /** The address of the operations listener; without a port there is none. */
  address: { host: string; port: number | undefined };
}

export interface WorkerOperations {
  /** Sets the source of the health. Before the first call the worker is `down`, because it waits for its servers. */
  showHealth(readHealth: () => Promise<WorkerHealth>): void;
}

/** Starts the operations listener and the heartbeats of a worker until the program stops. Rejects as `startOperations` does. */
export async function startWorkerOperations(
  { log, registry, onStop, fail }: Pick<ProgramContext, 'log' | 'registry' | 'onStop' | 'fail'>,
  { kind, keyValue, work, address }: WorkerOptions,
): Promise<WorkerOperations> {
  let readHealth = (): Promise<WorkerHealth> => Promise.resolve({ status: 'down', components: {}, facts: {} });
  const version = readServiceVersion();
  const readHealthPage = async () => {
    const { status, facts, components } = await readHealth();
    return { status, version, ...facts, components };
  };
  const routes = operationsRoutes(readHealthPage, registry);
  await startOperations({ log, onStop, fail }, { name: kind, address, routes });
  const readState = async () => {
    const { status, facts } = await readHealth();
    return { status, headBlock: facts.head_block_num ?? undefined };
  };
  const heartbeats = startHeartbeats({ kind, keyValue, log, registry, work, readState });
  onStop(() => heartbeats.stop());
  return {
    showHealth(read) {
      readHealth = read;
      heartbeats.beat();
    },
  };
}
