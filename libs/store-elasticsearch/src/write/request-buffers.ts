/**
 * The buffers of bulk requests that the server has read, for the next requests: to write into fresh memory of megabytes takes several
 * times as long, because the system has to provide each page of it.
 */
export class RequestBuffers {
  private readonly free: Buffer[] = [];

  /** `limit`: how many are kept. */
  constructor(private readonly limit: number) {}

  take(): Buffer | undefined {
    return this.free.pop();
  }

  /** Nothing may read or write the buffer afterwards. */
  give(buffer: Buffer): void {
    if (this.free.length < this.limit) this.free.push(buffer);
  }
}
