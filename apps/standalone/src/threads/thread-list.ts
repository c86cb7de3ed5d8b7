import type { LoggedError, MetricsJson } from '@antelope-history/app-runtime';

/** What a thread reports of itself. */
export interface ReportingThread {
  metrics(): Promise<MetricsJson>;
  /** As it was at the last call of `metrics`. */
  lastError(): LoggedError | undefined;
}

/** The threads of the process beside the main thread: what they report is shown as a part of the process. */
export class ThreadList {
  private readonly threads: ReportingThread[] = [];

  add(...threads: readonly ReportingThread[]): void {
    this.threads.push(...threads);
  }

  metrics(): Promise<MetricsJson[]> {
    return Promise.all(this.threads.map((thread) => thread.metrics()));
  }

  /** The newest of the errors that the threads logged last, and of `own`. */
  newestError<Own extends { at: number }>(own: Own | undefined): Own | LoggedError | undefined {
    const errors: (Own | LoggedError)[] = this.threads.flatMap((thread) => thread.lastError() ?? []);
    if (own) errors.push(own);
    return errors.sort((one, other) => other.at - one.at)[0];
  }
}
