import type { Message } from 'amqplib';
import { HistoryError, isErrorCode } from '@antelope-history/schemas';
import type { Headers } from './message-parts';

/*
 * A dead letter is the message as it was with its own headers, and these.
 */
const CODE = 'history-reason-code';
const REASON = 'history-reason';
const QUEUE = 'history-rejected-by-queue';
const TIME = 'history-rejected-at';

/** The client's headers have 64 KiB at most. */
const MOST_REASON_CHARACTERS = 4_000;

/** What the server adds when it puts a message elsewhere itself. */
const SERVER_HEADERS = /^x-(death|first-death-|last-death-)/;

/** The headers of a message that is rejected from a queue, with the reason. */
export function letterHeaders({ properties }: Message, queue: string, reason: HistoryError): Headers {
  return {
    ...properties.headers,
    [CODE]: reason.code,
    [REASON]: reason.message.slice(0, MOST_REASON_CHARACTERS),
    [QUEUE]: queue,
    [TIME]: new Date().toISOString(),
  };
}

/** The headers that a dead letter had before it was one. */
export function originalHeaders({ properties }: Message): Headers {
  const entries = Object.entries(properties.headers ?? {});
  return Object.fromEntries(entries.filter(([name]) => !isOfLetter(name)));
}

/** Why a message is a dead letter. */
export function readReason({ properties }: Message): HistoryError {
  const headers: Headers = properties.headers ?? {};
  const code = String(headers[CODE]);
  if (isErrorCode(code)) return new HistoryError(code, String(headers[REASON]));
  const why = properties.headers?.['x-first-death-reason'] ?? 'for an unknown reason';
  return new HistoryError('MESSAGE_GIVEN_UP', `RabbitMQ put it here: ${why}`);
}

function isOfLetter(name: string): boolean {
  return [CODE, REASON, QUEUE, TIME].includes(name) || SERVER_HEADERS.test(name);
}
