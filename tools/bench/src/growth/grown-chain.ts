import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { anonymousMemory, startService, stop, untilCommitted } from '@antelope-history/processes';
import { createShipReplay, type ShipReplay } from '@antelope-history/ship-replay';
import { type ContinuedChain, UNVERIFIED } from './continued-chain';

/** What indexing a continued chain took. */
export interface IndexingFigures {
  /** Time from the request for the first block to the commit of the last block. */
  seconds: number;
  /** The same for each round, in order. */
  roundSeconds: number[];
  diskBytes: number;
  /** The most memory without pages of the store's file, measured at the end of each round; undefined where the system does not report it. */
  memoryBytes: number | undefined;
}

/** A continued chain in an embedded store, and the service that reads it. */
export class GrownChain {
  private service: ChildProcess | undefined;
  url = '';

  private constructor(
    readonly rounds: number,
    readonly chain: ContinuedChain,
    private readonly data: string,
    private readonly node: ShipReplay,
  ) {}

  /** Serves a chain as a node that is far ahead. */
  static async serve(chain: ContinuedChain, rounds: number): Promise<GrownChain> {
    const { recording } = chain;
    const node = await createShipReplay({ recording, position: 'end', chainId: recording.chainId ?? '' });
    return new GrownChain(rounds, chain, mkdtempSync(path.join(tmpdir(), 'antelope-history-bench-')), node);
  }

  /** The number of the block with which the first round ends. */
  get lastBlockOfFirstRound(): number {
    return this.lastBlockOf(1);
  }

  /** Indexes the chain with a service of its own, which ends afterwards. */
  async index(): Promise<IndexingFigures> {
    const service = startService(this.node.url, this.data, UNVERIFIED);
    try {
      const startedAt = await service.reading;
      const { roundSeconds, memoryBytes } = await this.timeRounds(startedAt, service.child.pid ?? 0);
      return {
        seconds: roundSeconds.reduce((sum, seconds) => sum + seconds, 0),
        roundSeconds,
        diskBytes: statSync(path.join(this.data, 'data.mdb')).blocks * 512,
        memoryBytes,
      };
    } finally {
      await stop(service.child);
    }
  }

  /** Starts a service on the indexed chain. Resolves with the milliseconds until its first response of status 200. */
  async start(respond: (url: string) => Promise<unknown>): Promise<number> {
    const startedAt = performance.now();
    const service = startService(this.node.url, this.data, UNVERIFIED);
    this.service = service.child;
    this.url = await service.gateway;
    await respond(this.url);
    return performance.now() - startedAt;
  }

  async remove(): Promise<void> {
    if (this.service) await stop(this.service);
    await this.node.close();
    rmSync(this.data, { recursive: true, force: true });
  }

  private async timeRounds(
    startedAt: number,
    pid: number,
  ): Promise<Pick<IndexingFigures, 'roundSeconds' | 'memoryBytes'>> {
    const roundSeconds: number[] = [];
    const memory: number[] = [];
    let from = startedAt;
    for (let round = 1; round <= this.rounds; round++) {
      await untilCommitted(this.data, this.lastBlockOf(round), { orLater: true });
      const now = Date.now();
      roundSeconds.push((now - from) / 1000);
      from = now;
      memory.push(anonymousMemory(pid) ?? NaN);
    }
    return { roundSeconds, memoryBytes: memory.some(Number.isNaN) ? undefined : Math.max(...memory) };
  }

  /** All rounds together have the first block once. */
  private lastBlockOf(round: number): number {
    const { messages } = this.chain.recording;
    return messages[(round * (messages.length - 1)) / this.rounds]?.thisBlock?.num ?? 0;
  }
}
