import { connect as connectPlain, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { readFileSync } from 'node:fs';
import { hostOf } from '@antelope-history/connectivity';
import type { RabbitmqOptions } from '../rabbitmq-options';

/*
 * The reply text with which a server refuses a user on a virtual host. The client does not pass it on, so this speaks the
 * connection negotiation of AMQP 0-9-1 itself: a few frames, each a method of the class `connection` on channel 0.
 *
 * Source: AMQP 0-9-1 specification, 2.2.4 (The Connection Class) and 2.3.5 (Frame Details).
 */

const PROTOCOL_HEADER = Buffer.from('AMQP\x00\x00\x09\x01', 'latin1');
const METHOD_FRAME = 1;
const FRAME_END = 0xce;
const FRAME_HEADER_BYTES = 7;
const MAX_FRAME_BYTES = 128 * 1024;
const CONNECTION_CLASS = 10;
const METHODS = { start: 10, startOk: 11, tune: 30, tuneOk: 31, open: 40, openOk: 41, close: 50 };

/** Undefined when the server accepts the connection, or ends it without a reply text. */
export function readRefusal(options: RabbitmqOptions, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = openSocket(options);
    const finish = (reply: string | undefined): void => {
      socket.destroy();
      resolve(reply);
    };
    let received: Buffer = Buffer.alloc(0);
    socket.on('error', () => finish(undefined));
    socket.on('close', () => finish(undefined));
    signal.addEventListener('abort', () => finish(undefined), { once: true });
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length > MAX_FRAME_BYTES) finish(undefined);
      for (let frame = takeMethod(received); frame; frame = takeMethod(received)) {
        received = received.subarray(frame.bytes);
        if (frame.method === METHODS.close) finish(replyTextOf(frame.fields));
        else if (frame.method === METHODS.openOk) finish(undefined);
        else socket.write(responseTo(frame, options));
      }
    });
    socket.write(PROTOCOL_HEADER);
  });
}

function openSocket({ url, caFile }: RabbitmqOptions): Duplex {
  const parsed = new URL(url);
  const { protocol, port } = parsed;
  const host = hostOf(parsed);
  if (protocol === 'amqp:') return connectPlain({ host, port: Number(port || 5672) });
  const ca = caFile === undefined ? {} : { ca: readFileSync(caFile) };
  return connectTls({ host, servername: isIP(host) === 0 ? host : '', port: Number(port || 5671), ...ca });
}

interface MethodFrame {
  method: number;
  fields: Buffer;
  /** Size of the whole frame. */
  bytes: number;
}

/** The first frame; undefined when it is not complete. */
function takeMethod(received: Buffer): MethodFrame | undefined {
  if (received.length < FRAME_HEADER_BYTES) return undefined;
  const payloadBytes = received.readUInt32BE(3);
  const bytes = FRAME_HEADER_BYTES + payloadBytes + 1;
  if (received.length < bytes) return undefined;
  const payload = received.subarray(FRAME_HEADER_BYTES, FRAME_HEADER_BYTES + payloadBytes);
  return { method: payload.readUInt16BE(2), fields: payload.subarray(4), bytes };
}

function responseTo({ method, fields }: MethodFrame, { username, password = '', vhost }: RabbitmqOptions): Buffer {
  switch (method) {
    case METHODS.start: {
      const noProperties = Buffer.alloc(4);
      const response = longString(`\0${username}\0${password}`);
      return toFrame(METHODS.startOk, [noProperties, shortString('PLAIN'), response, shortString('en_US')]);
    }
    case METHODS.tune: {
      const open = toFrame(METHODS.open, [shortString(vhost), shortString(''), Buffer.alloc(1)]);
      // Accepts the limits that the server proposes.
      return Buffer.concat([toFrame(METHODS.tuneOk, [fields]), open]);
    }
    default:
      return Buffer.alloc(0);
  }
}

function toFrame(method: number, fields: Buffer[]): Buffer {
  const methodId = Buffer.alloc(4);
  methodId.writeUInt16BE(CONNECTION_CLASS, 0);
  methodId.writeUInt16BE(method, 2);
  const payload = Buffer.concat([methodId, ...fields]);
  const header = Buffer.alloc(FRAME_HEADER_BYTES);
  header.writeUInt8(METHOD_FRAME, 0);
  header.writeUInt32BE(payload.length, 3);
  return Buffer.concat([header, payload, Buffer.from([FRAME_END])]);
}

function shortString(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

function longString(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length, 0);
  return Buffer.concat([length, bytes]);
}

/** A close method carries the reply code, of two bytes, and then the reply text as a short string. */
function replyTextOf(fields: Buffer): string {
  return fields.subarray(3, 3 + (fields[2] ?? 0)).toString();
}
