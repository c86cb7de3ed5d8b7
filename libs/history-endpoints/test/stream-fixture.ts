import type { ChainStatus } from '@antelope-history/store';
import type { ModelHistory } from '@antelope-history/store/contract';
import type { StreamQuery } from '../src/stream/action-stream';

/** A stream of all actions from the first block on. */
export const EVERYTHING: StreamQuery = {
  account: undefined,
  filters: [],
  data: [],
  firstBlockNum: 1,
  irreversibleOnly: false,
};

/** The committed state of a model, whose changes the test announces. */
export class ModelHead {
  private wake: (() => void) | undefined;
  private onIdle: () => void = () => undefined;

  constructor(private readonly model: Pick<ModelHistory, 'getStatus'>) {}

  async changedFrom(known: ChainStatus, signal: AbortSignal): Promise<ChainStatus> {
    for (;;) {
      const status = await this.model.getStatus();
      signal.throwIfAborted();
      if (JSON.stringify(status) !== JSON.stringify(known)) return status;
      this.onIdle();
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  announce(): void {
    this.wake?.();
  }

  /** Resolves when a stream waits for the next change. */
  idle(): Promise<'idle'> {
    return new Promise((resolve) => (this.onIdle = () => resolve('idle')));
  }
}
