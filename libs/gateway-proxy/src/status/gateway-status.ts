import type { KeyValue } from '@antelope-history/key-value';
import type { HealthResponse, ProcessStatus, StatusResponse } from '@antelope-history/schemas';
import { resultOfComponent, readHeartbeats } from '@antelope-history/app-runtime';
import { wallClock } from '../clocks';
import { createGatewayHealth, type GatewayHealthDeps } from '../gateway-health';
import { describeHeartbeats, totalsOf } from './process-statuses';
import { StatusHistory } from './status-history';

export interface GatewayStatusDeps extends GatewayHealthDeps {
  /** Reads the processes of the service. Without this function, the processes that have heartbeats are shown. */
  readProcesses?: () => Promise<ProcessStatus[]>;
}

const SAMPLE_EVERY_MS = 10_000;

/** The state of the service, as `/health` and the page for operators show it. */
export class GatewayStatus {
  readonly readHealth: () => Promise<HealthResponse>;
  private readonly readProcesses: () => Promise<ProcessStatus[]>;
  private readonly history = new StatusHistory();
  private readonly now: () => number;
  private timer: NodeJS.Timeout | undefined;

  constructor(deps: GatewayStatusDeps) {
    const { keyValue, now = wallClock } = deps;
    this.now = now;
    this.readHealth = createGatewayHealth(deps);
    this.readProcesses = deps.readProcesses ?? (() => readReported(keyValue));
  }

  /** Takes a sample every ten seconds until `stop`. */
  start(): void {
    this.timer = setInterval(() => void this.sample(), SAMPLE_EVERY_MS);
    void this.sample();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Works also while the service is down; parts that are unavailable are absent. */
  async read(): Promise<StatusResponse> {
    const [health, processes] = await this.readBoth();
    return { at: this.now(), health, processes, totals: totalsOf(processes), samples: this.history.samples() };
  }

  private async sample(): Promise<void> {
    const [health, processes] = await this.readBoth();
    this.history.add(this.now(), health, processes);
  }

  private async readBoth(): Promise<[HealthResponse, ProcessStatus[]]> {
    return Promise.all([this.readHealth(), resultOfComponent(this.readProcesses()).then((found) => found ?? [])]);
  }
}

async function readReported(keyValue: KeyValue): Promise<ProcessStatus[]> {
  return describeHeartbeats([...(await readHeartbeats(keyValue)).values()]);
}
