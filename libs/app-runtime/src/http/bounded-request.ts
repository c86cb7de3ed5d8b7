import { IncomingMessage } from 'node:http';
import { UpgradableRequest } from './web-socket-upgrade';

/** A body of more pieces than this, of which most are smaller than `SMALL_PIECE_BYTES`, is an attack: see `BoundedRequest`. */
const MAX_SMALL_PIECES = 2_048;
const SMALL_PIECE_BYTES = 64;
/** Time for the rest of a body that no handler reads, so that its client gets the response before the connection closes. */
const LINGER_MS = 1_000;

/** A method of node:http that is not part of its types: discards the rest of the body. */
interface Discarding {
  _dump(): void;
}

const { _dump: discardRest } = IncomingMessage.prototype as unknown as Discarding;

/**
 * A request whose body costs bounded time. A body in chunks of one byte takes node:http thousands of times as long as one in large chunks:
 * some MB per second of them would keep the event loop busy, whatever the limit of the body's length.
 *
 * - A connection that sends such a body is closed.
 * - When a response ends before the body of its request, node:http would read and discard the body without a limit. Here the rest stays
 *   in the buffers of the request, which stops the reading when they are full, and the connection is closed after a second, unless the
 *   body has come to its end.
 */
export class BoundedRequest extends UpgradableRequest implements Discarding {
  private pieces = 0;
  private bytes = 0;
  private lingering: NodeJS.Timeout | undefined;

  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    const wantsMore = super.push(piece, encoding);
    if (piece === null) this.discardAfterEnd();
    else this.count(piece.length);
    return wantsMore;
  }

  /** node:http calls it when the response has ended. */
  _dump(): void {
    if (this.complete) return discardRest.call(this);
    this.lingering ??= setTimeout(() => this.socket.destroy(), LINGER_MS).unref();
  }

  private count(bytes: number): void {
    this.pieces++;
    this.bytes += bytes;
    if (this.pieces > MAX_SMALL_PIECES && this.bytes < this.pieces * SMALL_PIECE_BYTES) this.socket.destroy();
  }

  /** The connection can take the next request. */
  private discardAfterEnd(): void {
    if (!this.lingering) return;
    clearTimeout(this.lingering);
    discardRest.call(this);
  }
}
