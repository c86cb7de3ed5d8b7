import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ServiceProcess, startService, stop, untilCommitted } from '@antelope-history/processes';
import { createShipReplay, type ShipReplay } from '@antelope-history/ship-replay';
import type { Recording } from '@antelope-history/test-support/recordings';
import { type ContinuedChain, UNVERIFIED } from '../growth/continued-chain';

/** A service that has indexed the first rounds of a continued chain, and gets the next ones when the benchmark says so. */
export class FollowedChain {
  private indexed = 0;
  url = '';

  private constructor(
    private readonly recording: Recording,
    private readonly blocksPerRound: number,
    private readonly node: ShipReplay,
    private readonly data: string,
    private readonly service: ServiceProcess,
  ) {}

  /** Resolves when the first round is indexed. */
  static async start({ recording }: ContinuedChain, rounds: number): Promise<FollowedChain> {
    const node = await createShipReplay({ recording, pace: 'manual', chainId: recording.chainId ?? '' });
    const data = mkdtempSync(path.join(tmpdir(), 'antelope-history-bench-'));
    // Between rounds the node sends nothing.
    const service = startService(node.url, data, { ...UNVERIFIED, HISTORY_SHIP__SILENCE_SECONDS: '0' });
    // All rounds together have the first block once.
    const blocksPerRound = (recording.messages.length - 1) / rounds;
    const followed = new FollowedChain(recording, blocksPerRound, node, data, service);
    try {
      followed.url = await service.gateway;
      await followed.indexRound();
      return followed;
    } catch (error) {
      await followed.remove();
      throw error;
    }
  }

  /** The number of the block with which the indexed rounds end. */
  get lastBlock(): number {
    return this.recording.messages[this.indexed * this.blocksPerRound]?.thisBlock?.num ?? 0;
  }

  /** Sends the blocks of the next round at once; resolves with the seconds until the last one is committed. */
  async indexRound(): Promise<number> {
    this.indexed++;
    const startedAt = performance.now();
    this.node.advance(this.blocksPerRound);
    await untilCommitted(this.data, this.lastBlock);
    return (performance.now() - startedAt) / 1000;
  }

  async remove(): Promise<void> {
    await stop(this.service.child);
    await this.node.close();
    rmSync(this.data, { recursive: true, force: true });
  }
}
