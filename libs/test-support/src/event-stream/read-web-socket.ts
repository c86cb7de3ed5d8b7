import { on, once } from 'node:events';
import { WebSocket } from 'ws';
import type { EventStreamOptions, ServerSentEvent } from './read-event-stream';

interface Message {
  event: string;
  id: string;
  data: unknown;
}

/**
 * Reads the events of a stream over a WebSocket until the server closes it; the close frame's reason is the last event, of type
 * `close`. `url` is that of the stream over HTTP. Throws when the handshake is refused, when the connection breaks without a
 * close frame, and when the signal aborts.
 */
export async function* readWebSocketStream(
  url: string,
  { lastEventId, signal }: EventStreamOptions,
): AsyncGenerator<ServerSentEvent> {
  const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const socket = new WebSocket(url.replace(/^http/, 'ws'), { headers });
  const abort = (): void => socket.terminate();
  signal.addEventListener('abort', abort);
  const messages = on(socket, 'message', { close: ['close'] }) as AsyncIterable<[Buffer]>;
  const closed = new Promise<[number, string]>((resolve) => {
    socket.on('close', (code, reason) => resolve([code, reason.toString()]));
  });
  try {
    await once(socket, 'open', { signal });
    for await (const [message] of messages) {
      const { event, id, data } = JSON.parse(message.toString()) as Message;
      yield { type: event, id, data: JSON.stringify(data) };
    }
    const [code, reason] = await closed;
    if (reason === '') throw new Error(`the WebSocket was closed with code ${code}`);
    yield { type: 'close', id: '', data: JSON.stringify({ reason }) };
  } finally {
    signal.removeEventListener('abort', abort);
    socket.terminate();
  }
}
