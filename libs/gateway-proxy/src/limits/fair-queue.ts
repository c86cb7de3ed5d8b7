/** Items that wait, first come first served for each client, and the clients each in its turn. */
export class FairQueue<Item> {
  private readonly byClient = new Map<string, Item[]>();
  private count = 0;

  constructor(
    private readonly most: number,
    private readonly mostPerClient: number,
  ) {}

  get size(): number {
    return this.count;
  }

  /** False when the queue is full. */
  push(client: string, item: Item): boolean {
    const items = this.byClient.get(client) ?? [];
    if (this.count >= this.most || items.length >= this.mostPerClient) return false;
    items.push(item);
    this.byClient.set(client, items);
    this.count++;
    return true;
  }

  /** Takes an item that waits no longer. */
  remove(client: string, item: Item): void {
    const items = this.byClient.get(client) ?? [];
    const index = items.indexOf(item);
    if (index >= 0) this.take(client, items, index);
  }

  /** The first item of the client whose turn it is; clients that are not eligible keep theirs. */
  shift(isEligible: (client: string) => boolean): Item | undefined {
    for (const [client, items] of this.byClient) {
      if (!isEligible(client)) continue;
      const item = this.take(client, items, 0);
      // Last in the order of turns.
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
