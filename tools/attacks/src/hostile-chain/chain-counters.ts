/** The counts that a chain's receipts carry; a fork goes back to those of its parent. */
export class ChainCounters {
  global = 0;

  constructor(
    private readonly received = new Map<string, bigint>(),
    private readonly authorized = new Map<string, bigint>(),
    private readonly abis = new Map<string, number>(),
  ) {}

  copy(): ChainCounters {
    const copied = new ChainCounters(new Map(this.received), new Map(this.authorized), new Map(this.abis));
    copied.global = this.global;
    return copied;
  }

  nextGlobal(): number {
    return ++this.global;
  }

  nextReceived(account: string): bigint {
    return increment(this.received, account);
  }

  nextAuthorized(account: string): bigint {
    return increment(this.authorized, account);
  }

  abiSequence(account: string): number {
    return this.abis.get(account) ?? 0;
  }

  abiSet(account: string): void {
    this.abis.set(account, this.abiSequence(account) + 1);
  }

  /** Takes the counts of a receipt that the chain already has. */
  saw(receipt: { globalSequence: number; receiver: string; recvSequence: bigint; auths: [string, bigint][] }): void {
    this.global = Math.max(this.global, receipt.globalSequence);
    this.received.set(receipt.receiver, receipt.recvSequence);
    for (const [account, sequence] of receipt.auths) this.authorized.set(account, sequence);
  }
}

function increment(counts: Map<string, bigint>, account: string): bigint {
  const next = (counts.get(account) ?? 0n) + 1n;
  counts.set(account, next);
  return next;
}
