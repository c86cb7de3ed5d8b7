import { LRUCache } from 'lru-cache';
import type { ActionTrace } from '@antelope-history/records';

/** Accounts whose last sequence is remembered: about 100 bytes each. The sequences of others begin anew. */
const MAX_ACCOUNTS = 1_000_000;

/** The last sequence that each account received. */
export type SequenceState = Iterable<[account: string, sequence: bigint]>;

interface SequenceFault {
  code: 'global_sequence' | 'recv_sequence';
  detail: string;
}

/**
 * Checks that the sequences which the chain gives to actions have no gap: the global one, and the number of actions that each
 * account received. After a block whose actions are not all recorded both begin anew.
 */
export class SequenceCheck {
  private next: number | undefined;
  private readonly received = new LRUCache<string, bigint>({ max: MAX_ACCOUNTS });

  /** `isWhole`: whether the traces are all that were executed in the block. */
  check(traces: readonly ActionTrace[], isWhole: boolean): SequenceFault[] {
    const faults: SequenceFault[] = [];
    if (!isWhole) this.forget();
    const ordered = [...traces].sort((left, right) => left.receipt.globalSequence - right.receipt.globalSequence);
    for (const trace of ordered) faults.push(...this.checkTrace(trace));
    if (!isWhole) this.forget();
    return faults;
  }

  private checkTrace({ receiver, receipt }: ActionTrace): SequenceFault[] {
    const { globalSequence, recvSequence } = receipt;
    const faults: SequenceFault[] = [];
    if (this.next !== undefined && globalSequence !== this.next) {
      faults.push({ code: 'global_sequence', detail: `${globalSequence} follows ${this.next - 1}` });
    }
    const last = this.received.get(receiver);
    if (last !== undefined && recvSequence !== last + 1n) {
      faults.push({ code: 'recv_sequence', detail: `${recvSequence} of ${receiver} follows ${last}` });
    }
    this.next = globalSequence + 1;
    this.received.set(receiver, recvSequence);
    return faults;
  }

  /** The state from which another check continues. */
  get state(): { next: number | undefined; received: SequenceState } {
    return { next: this.next, received: this.received.entries() };
  }

  restore(next: number | undefined, received: SequenceState): void {
    this.next = next;
    for (const [account, sequence] of received) this.received.set(account, sequence);
  }

  /** Begins anew: what was executed before is not known. */
  forget(): void {
    this.next = undefined;
    this.received.clear();
  }
}
