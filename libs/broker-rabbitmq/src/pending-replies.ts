/**
 * Replies that are waited for until a connection or a channel ends. A reaction on the promise of that end, as `Promise.race` adds,
 * would be kept with its reply until the end: for months, if each read of the metrics adds some.
 */
export class PendingReplies {
  private readonly rejecting = new Set<(reason: Error) => void>();
  private endReason: Error | undefined;

  constructor(ended: Promise<Error>) {
    void ended.then((reason) => {
      this.endReason = reason;
      for (const reject of this.rejecting) reject(reason);
    });
  }

  /** The reply. Rejects with the reason of the end when that comes first: the client may never settle a reply that it then misses. */
  async within<T>(reply: Promise<T>): Promise<T> {
    let rejectReply: (reason: Error) => void = () => undefined;
    const end = new Promise<never>((_, reject) => (rejectReply = reject));
    if (this.endReason) rejectReply(this.endReason);
    else this.rejecting.add(rejectReply);
    try {
      // Also after the end: a rejection of the reply that nothing handles would end the process.
      return await Promise.race([end, reply]);
    } finally {
      this.rejecting.delete(rejectReply);
    }
  }
}
