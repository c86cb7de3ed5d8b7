import { HistoryError } from '@antelope-history/schemas';

interface Waiter<Result> {
  resolve(result: Result): void;
  reject(error: Error): void;
}

/** The tasks that a thread works on, by the ids that its results name. */
export class PendingTasks<Result> {
  private readonly waiting = new Map<number, Waiter<Result>>();
  private lastId = 0;
  private ended = false;

  get size(): number {
    return this.waiting.size;
  }

  /** Calls `send` with the id of a new task; resolves with its result. Rejects with `STOPPED` when the thread has ended or ends. */
  run(send: (id: number) => void): Promise<Result> {
    if (this.ended) return Promise.reject(stopped());
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      send(id);
    });
  }

  resolve(id: number, result: Result): void {
    this.take(id)?.resolve(result);
  }

  reject(id: number, error: Error): void {
    this.take(id)?.reject(error);
  }

  /** Rejects the tasks that the thread has, and those that come until the process has stopped. */
  end(): void {
    this.ended = true;
    for (const { reject } of this.waiting.values()) reject(stopped());
    this.waiting.clear();
  }

  private take(id: number): Waiter<Result> | undefined {
    const waiter = this.waiting.get(id);
    this.waiting.delete(id);
    return waiter;
  }
}

function stopped(): HistoryError {
  return new HistoryError('STOPPED', 'the service stops');
}
