/** Figures of the clients of one behaviour. */
export class ClientFigures {
  connections = 0;
  requests = 0;
  /** Responses with 429 or 503. */
  refused = 0;
  /** Requests without a whole response. */
  broken = 0;
  readonly statuses: Record<string, number> = {};
  private readonly times: number[] = [];

  constructor(readonly behaviour: string) {}

  addStatus(status: number | string): void {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
  }

  addTime(ms: number): void {
    this.times.push(ms);
  }

  /** The time in milliseconds that a share of the responses did not exceed; 0 without responses. */
  percentile(share: number): number {
    const sorted = [...this.times].sort((left, right) => left - right);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  }

  row(): string[] {
    const statuses = Object.entries(this.statuses).map(([status, count]) => `${status}:${count}`);
    const times = [0.5, 0.99, 1].map((share) => this.percentile(share).toFixed(0));
    return [
      this.behaviour,
      String(this.connections),
      String(this.requests),
      statuses.join(' ') || '-',
      String(this.refused),
      String(this.broken),
      ...times,
    ];
  }
}

const HEADINGS = ['clients', 'connections', 'requests', 'responses', 'refused', 'broken', 'p50 ms', 'p99 ms', 'max ms'];

/** One line per behaviour, in columns. */
export function tableLines(figures: readonly ClientFigures[]): string[] {
  const rows = [HEADINGS, ...figures.map((each) => each.row())];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
}
