import type { Message } from 'amqplib';
import { HistoryError, isErrorCode } from '@antelope-history/schemas';
import type { Headers } from './message-parts';

/*
 * A dead letter is the rejected message with its own headers and these four.
 */
const CODE = 'history-reason-code';
const REASON = 'history-reason';
const QUEUE = 'history-rejected-by-queue';
const TIME = 'history-rejected-at';

/** The client limits all headers of a message to 64 KiB. */
const MAX_REASON_CHARACTERS = 4_000;

/** Headers that RabbitMQ adds when it dead-letters a message itself, and when it delivers one of a quorum queue. */
const SERVER_HEADERS = /^x-(death|first-death-|last-death-|delivery-count|acquired-count)/;

/** The headers of the dead letter for a message that is rejected from a queue. */
export function deadLetterHeaders({ properties }: Message, queue: string, reason: HistoryError): Headers {
  return {
    ...originalHeaders({ properties }),
    [CODE]: reason.code,
    [REASON]: reason.message.slice(0, MAX_REASON_CHARACTERS),
    [QUEUE]: queue,
    [TIME]: new Date().toISOString(),
  };
}

/** The headers that the rejected message had. */
export function originalHeaders({ properties }: Pick<Message, 'properties'>): Headers {
  const entries = Object.entries(properties.headers ?? {});
  return Object.fromEntries(entries.filter(([name]) => !isDeadLetterHeader(name)));
}

/** Why a message was rejected; `MESSAGE_GIVEN_UP` for a dead letter without our headers. */
export function readReason({ properties }: Message): HistoryError {
  const headers: Headers = properties.headers ?? {};
  const code = String(headers[CODE]);
  if (isErrorCode(code)) return new HistoryError(code, String(headers[REASON]));
  const why = properties.headers?.['x-first-death-reason'] ?? 'for an unknown reason';
  return new HistoryError('MESSAGE_GIVEN_UP', `RabbitMQ dead-lettered the message: ${why}`);
}

function isDeadLetterHeader(name: string): boolean {
  return [CODE, REASON, QUEUE, TIME].includes(name) || SERVER_HEADERS.test(name);
}
