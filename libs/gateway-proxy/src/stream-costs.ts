import type { ChargeStream } from '@antelope-history/app-runtime';

/** Reads the bytes of a stream as they pass. */
export type StreamReader = (bytes: Buffer) => void;

/** No row contains a line break, so that a line of this form is a comment of the API (`REPORT_COST_HEADER`). */
const COST_LINE = /\n:cost (\d{1,9})\n/g;
/** Longer than the beginning of such a line. */
const KEPT_CHARACTERS = 20;

/** Charges the costs that an API reports among server-sent events. */
export function readEventCosts(charge: ChargeStream): StreamReader {
  let rest = '\n';
  return (bytes) => {
    const text = rest + bytes.toString('latin1');
    let end = 0;
    for (const line of text.matchAll(COST_LINE)) {
      charge(Number(line[1]));
      end = line.index + line[0].length;
    }
    rest = text.slice(Math.max(end, text.length - KEPT_CHARACTERS));
  };
}

const COST_PONG = /^cost (\d{1,9})$/;
const PONG = 0x8a;
/** RFC 6455, 5.5 */
const MAX_PONG_BYTES = 125;

/** Charges the costs that an API reports among the frames of a WebSocket. */
export function readFrameCosts(charge: ChargeStream): StreamReader {
  let rest: Buffer = Buffer.alloc(0);
  let skipped = 0;
  return (bytes) => {
    const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    let at = skipped;
    while (at < all.length) {
      const frame = frameAt(all, at);
      if (!frame || (frame.isPong && frame.end > all.length)) break;
      if (frame.isPong) {
        const [, cost] = COST_PONG.exec(all.toString('latin1', frame.start, frame.end)) ?? [];
        if (cost !== undefined) charge(Number(cost));
      }
      at = frame.end;
    }
    skipped = Math.max(0, at - all.length);
    rest = all.subarray(at);
  };
}

/** The payload of the frame at an offset (RFC 6455, 5.2); a server's frames are not masked. Undefined when its head is incomplete. */
function frameAt(bytes: Buffer, at: number): { isPong: boolean; start: number; end: number } | undefined {
  const length = (bytes[at + 1] ?? 0) & 0x7f;
  const start = at + 2 + (length === 126 ? 2 : length === 127 ? 8 : 0);
  if (start > bytes.length) return undefined;
  const size =
    length === 126 ? bytes.readUInt16BE(at + 2) : length === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : length;
  return { isPong: bytes[at] === PONG && size <= MAX_PONG_BYTES, start, end: start + size };
}
