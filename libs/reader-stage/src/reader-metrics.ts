import type { ErrorCode } from '@antelope-history/schemas';
import { counter, gauge, type Registry } from '@antelope-history/service';

/** The gauge by which others tell whether a node is there. */
export const SHIP_CONNECTED = 'history_ship_connected';
export const SHIP_MESSAGES = 'history_ship_messages_total';
export const HEAD_BLOCK = 'history_head_block';
export const PASSED_BLOCK = 'history_passed_block';

export interface ReaderMetrics {
  connects: { inc(): void };
  /** 1 while a node sends, 0 while none does. */
  connected: { set(value: 0 | 1): void };
  disconnects: { inc(labels: { code: string }): void };
  forks: { inc(): void };
  refetches: { inc(): void };
  heads: { set(blockNum: number): void };
  published(blockNum: number, bytes: number): void;
}

/** Why a session may end and another follow. */
const CODES: ErrorCode[] = [
  'SHIP_DISCONNECTED',
  'SHIP_MESSAGE_CORRUPT',
  'BLOCK_GAP',
  'ACCESS_REFUSED',
  'CERTIFICATE_REFUSED',
];

export function createReaderMetrics(registry: Registry): ReaderMetrics {
  const messages = counter(registry, {
    name: SHIP_MESSAGES,
    help: 'State history messages passed on to the deserializers',
  });
  const bytes = counter(registry, { name: 'history_ship_bytes_total', help: 'Bytes of these messages' });
  const passed = gauge(registry, { name: PASSED_BLOCK, help: 'Number of the block that was passed on last' });
  const disconnects = counter(registry, {
    name: 'history_ship_disconnects_total',
    help: 'Ends of a state history session, by error code',
    labelNames: ['code'],
  });
  for (const code of CODES) disconnects.inc({ code }, 0);
  return {
    connects: counter(registry, { name: 'history_ship_connects_total', help: 'State history sessions opened' }),
    connected: gauge(registry, { name: SHIP_CONNECTED, help: '1 while a node sends its state history, else 0' }),
    disconnects,
    forks: counter(registry, { name: 'history_forks_total', help: 'Times that the chain went back to a lower block' }),
    refetches: counter(registry, {
      name: 'history_refetches_total',
      help: 'Times that a later stage asked for blocks again',
    }),
    heads: gauge(registry, { name: HEAD_BLOCK, help: "Number of the node's head block" }),
    published(blockNum, length) {
      messages.inc();
      bytes.inc(length);
      passed.set(blockNum);
    },
  };
}
