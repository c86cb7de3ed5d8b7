import { TOPOLOGY, type Broker } from '@antelope-history/broker';
import type { ErrorCode } from '@antelope-history/schemas';
import type { Logger } from '@antelope-history/app-runtime';

/** Asks the reader to read again from the committed block. */
export class RefetchReporter {
  constructor(
    private readonly broker: Broker,
    private readonly log: Logger,
    private readonly signal: AbortSignal,
  ) {}

  /** `code` and `reason` say why; the reader counts and logs them. Rejects as `Broker.publish`. */
  request(code: ErrorCode, reason: string): Promise<void> {
    return this.broker.publish(TOPOLOGY.refetch, { code, reason });
  }

  /** As `request`, but only logs a failure, for a caller that repeats the request later. */
  async tryRequest(code: ErrorCode, reason: string): Promise<void> {
    try {
      await this.request(code, reason);
    } catch (error) {
      if (!this.signal.aborted) this.log.warn({ error }, 'the refetch request could not be sent to the reader');
    }
  }
}
