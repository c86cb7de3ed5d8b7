/** A sum per client and the total; a client whose sum is 0 has no entry. */
export class ClientSums {
  total = 0;
  private readonly sums = new Map<string, number>();

  of(client: string): number {
    return this.sums.get(client) ?? 0;
  }

  add(client: string, amount: number): void {
    const sum = this.of(client) + amount;
    this.total += amount;
    if (sum === 0) this.sums.delete(client);
    else this.sums.set(client, sum);
  }
}
