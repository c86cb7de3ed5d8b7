/** A bounded queue with one FIFO per client; `shift` serves the clients in turn (round robin). */
export class FairQueue<Item> {
  private readonly byClient = new Map<string, Item[]>();
  private count = 0;

  constructor(
    private readonly maxItems: number,
    private readonly maxItemsPerClient: number,
  ) {}

  get size(): number {
    return this.count;
  }

  /** Appends an item; false when the queue, or the client's share of it, is full. */
  push(client: string, item: Item): boolean {
    const items = this.byClient.get(client) ?? [];
    if (this.count >= this.maxItems || items.length >= this.maxItemsPerClient) return false;
    items.push(item);
    this.byClient.set(client, items);
    this.count++;
    return true;
  }

  /** Removes an item that no longer waits. */
  remove(client: string, item: Item): void {
    const items = this.byClient.get(client) ?? [];
    const index = items.indexOf(item);
    if (index >= 0) this.take(client, items, index);
  }

  /** Removes and returns the first item of the next eligible client; a client that is not eligible keeps its turn. */
  shift(isEligible: (client: string) => boolean): Item | undefined {
    for (const [client, items] of this.byClient) {
      if (!isEligible(client)) continue;
      const item = this.take(client, items, 0);
      // The client moves to the end of the round.
      if (items.length > 0) {
        this.byClient.delete(client);
        this.byClient.set(client, items);
      }
      return item;
    }
    return undefined;
  }

  private take(client: string, items: Item[], index: number): Item | undefined {
    this.count--;
    const [item] = items.splice(index, 1);
    if (items.length === 0) this.byClient.delete(client);
    return item;
  }
}
