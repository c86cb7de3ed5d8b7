import type { RequestHandler } from 'express';
import { type HealthResponse, HistoryError } from '@antelope-history/schemas';
import type { Logger } from '@antelope-history/app-runtime';

const CHECK_EVERY_MS = 5_000;

/**
 * Refuses requests with 503 while an API of the chain serves another chain than the configuration names: a wrong address must not
 * give a client the history of another chain. Requests wait for a check until one has found the right chain; after that, checks
 * run in the background.
 */
export class ChainGuard {
  private state: 'unknown' | 'right' | 'other' = 'unknown';
  private checkedAt = -Infinity;
  private checking: Promise<void> | undefined;

  /** `chain`: its name in the log. `now`: milliseconds of a steady clock. */
  constructor(
    private readonly chain: string,
    private readonly readHealth: () => Promise<HealthResponse>,
    private readonly log: Logger,
    private readonly now: () => number,
  ) {}

  readonly handler: RequestHandler = async (_request, _response, next) => {
    if (this.now() - this.checkedAt >= CHECK_EVERY_MS) {
      this.checking ??= this.check().finally(() => (this.checking = undefined));
    }
    if (this.state !== 'right') await this.checking;
    if (this.state === 'other') throw new HistoryError('UNAVAILABLE', 'the APIs of this chain serve another chain');
    next();
  };

  private async check(): Promise<void> {
    const { chain_id: chainId, components } = await this.readHealth();
    this.checkedAt = this.now();
    const others = Object.entries(components).filter(([, { reason }]) => reason === 'CHAIN_ID_MISMATCH');
    if (others.length > 0 && this.state !== 'other') {
      const apis = others.map(([name]) => name);
      this.log.error(
        { chain: this.chain, apis },
        'APIs serve another chain than gateway.chains names; requests are refused',
      );
    }
    if (others.length > 0) this.state = 'other';
    else if (chainId !== null) this.state = 'right';
  }
}
