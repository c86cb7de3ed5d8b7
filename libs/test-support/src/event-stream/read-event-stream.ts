import { get, type IncomingMessage } from 'node:http';

/** An event of a stream; `type` is `message` where the stream names none. */
export interface ServerSentEvent {
  type: string;
  id: string;
  data: string;
}

export interface EventStreamOptions {
  /** The id of the last event that was processed. */
  lastEventId?: string | undefined;
  signal: AbortSignal;
}

/**
 * Reads server-sent events (WHATWG HTML, 9.2) until the stream ends. An event that is cut at the end is dropped. Throws when the
 * server does not respond with status 200, when the connection breaks, and when the signal aborts.
 */
export async function* readEventStream(url: string, options: EventStreamOptions): AsyncGenerator<ServerSentEvent> {
  const response = await open(url, options);
  if (response.statusCode !== 200) throw new Error(`the stream has status ${response.statusCode}`);
  response.setEncoding('utf8');
  let rest = '';
  for await (const chunk of response as AsyncIterable<string>) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parseEvent(block);
      if (event) yield event;
    }
  }
}

function open(url: string, { lastEventId, signal }: EventStreamOptions): Promise<IncomingMessage> {
  const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  return new Promise((resolve, reject) => {
    get(url, { headers, signal, agent: false }, resolve).on('error', reject);
  });
}

/** Undefined for comments and fields without data. */
function parseEvent(block: string): ServerSentEvent | undefined {
  const fields = new Map(
    block.split('\n').map((line): [string, string] => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)];
    }),
  );
  const data = fields.get('data');
  return data === undefined ? undefined : { type: fields.get('event') ?? 'message', id: fields.get('id') ?? '', data };
}
