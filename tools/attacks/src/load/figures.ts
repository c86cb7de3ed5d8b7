/** What the clients of one kind saw. */
export class KindFigures {
  connections = 0;
  requests = 0;
  /** Told to come again later: 429 or 503. */
  refused = 0;
  /** No response, or one that broke off. */
  broken = 0;
  readonly statuses: Record<string, number> = {};
  private readonly times: number[] = [];

  constructor(readonly kind: string) {}

  addStatus(status: number | string): void {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
  }

  addTime(ms: number): void {
    this.times.push(ms);
  }

  /** Milliseconds that so large a share of the responses took at most; 0 when there were none. */
  percentile(share: number): number {
    const sorted = [...this.times].sort((left, right) => left - right);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  }

  row(): string[] {
    const statuses = Object.entries(this.statuses).map(([status, count]) => `${status}:${count}`);
    const times = [0.5, 0.99, 1].map((share) => this.percentile(share).toFixed(0));
    return [
      this.kind,
      String(this.connections),
      String(this.requests),
      statuses.join(' ') || '-',
      String(this.refused),
      String(this.broken),
      ...times,
    ];
  }
}

const HEADINGS = ['kind', 'connections', 'requests', 'responses', 'refused', 'broken', 'p50 ms', 'p99 ms', 'max ms'];

/** One line per kind, in columns. */
export function tableLines(figures: readonly KindFigures[]): string[] {
  const rows = [HEADINGS, ...figures.map((each) => each.row())];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
}
