import type { ErrorCode } from '@antelope-history/schemas';
import { counter, gauge, type Registry } from '@antelope-history/app-runtime';

/** 1 while a node is being read; `shipHealth` reads it. */
export const SHIP_CONNECTED = 'history_ship_connected';
export const SHIP_MESSAGES = 'history_ship_messages_total';
export const HEAD_BLOCK = 'history_head_block';
export const PASSED_BLOCK = 'history_passed_block';

/** 1 from the time a node was left because it sent no new blocks until the next block. */
export const SHIP_SILENT = 'history_ship_silent';

/** By error code: 1 for the reason why no node is being read. */
export const SHIP_AWAY = 'history_ship_away';

export interface ReaderMetrics {
  /** A session has requested blocks. */
  began(): void;
  /** A session, or the attempt to open one, ended with an error. */
  ended(code: ErrorCode): void;
  forks: { inc(): void };
  refetches: { inc(): void };
  heads: { set(blockNum: number): void };
  published(blockNum: number, bytes: number): void;
}

/** Errors of a node that responds but cannot be used. The next node is tried. */
const REFUSALS = [
  'SHIP_UNSUPPORTED',
  'SHIP_DATA_MISSING',
  'BLOCK_ALTERED',
  'SHIP_MESSAGE_TOO_LARGE',
  'CHAIN_ID_MISMATCH',
  'FORK_TOO_DEEP',
  'ACCESS_REFUSED',
  'CERTIFICATE_REFUSED',
] as const satisfies ErrorCode[];

/** The other errors that end a session, those that later stages report in refetch requests included. */
const OTHER_ENDS = [
  'SHIP_DISCONNECTED',
  'SHIP_SILENT',
  'SHIP_MESSAGE_CORRUPT',
  'DECODE_FAILED',
  'BLOCK_GAP',
  'BLOCK_REFUSED',
  'BROKER_UNAVAILABLE',
] as const satisfies ErrorCode[];

const SESSION_END_CODES: readonly ErrorCode[] = [...REFUSALS, ...OTHER_ENDS];

export function isRefusal(code: string): code is (typeof REFUSALS)[number] {
  return (REFUSALS as readonly string[]).includes(code);
}

/**
 * Returns the code of a refetch request, with which the session ends, as a code that this version knows. An unknown code, which a
 * later stage of another version may send, becomes `SHIP_MESSAGE_CORRUPT`, because metric labels must have a fixed set of values.
 */
export function toSessionEndCode(code: string): ErrorCode {
  return SESSION_END_CODES.find((known) => known === code) ?? 'SHIP_MESSAGE_CORRUPT';
}

export function createReaderMetrics(registry: Registry): ReaderMetrics {
  const messages = counter(registry, {
    name: SHIP_MESSAGES,
    help: 'State history messages published to the deserializers',
  });
  const bytes = counter(registry, {
    name: 'history_ship_bytes_total',
    help: 'Bytes of the published state history messages',
  });
  const silent = gauge(registry, {
    name: SHIP_SILENT,
    help: '1 since a node was left because it sent no blocks, until a block arrives; else 0',
  });
  const session = createSessionMetrics(registry);
  const passed = gauge(registry, { name: PASSED_BLOCK, help: 'Number of the last published block' });
  return {
    ...session,
    ended(code) {
      if (code === 'SHIP_SILENT') silent.set(1);
      session.ended(code);
    },
    forks: counter(registry, {
      name: 'history_forks_total',
      help: 'Forks: blocks that replaced an earlier block of the same number',
    }),
    refetches: counter(registry, {
      name: 'history_refetches_total',
      help: 'Refetch requests of later stages',
    }),
    heads: gauge(registry, { name: HEAD_BLOCK, help: "Number of the node's head block" }),
    published(blockNum, length) {
      messages.inc();
      bytes.inc(length);
      passed.set(blockNum);
      silent.set(0);
    },
  };
}

function createSessionMetrics(registry: Registry): Pick<ReaderMetrics, 'began' | 'ended'> {
  const byCode = { labelNames: ['code'] };
  const connects = counter(registry, {
    name: 'history_ship_connects_total',
    help: 'State history sessions that requested blocks',
  });
  const connected = gauge(registry, { name: SHIP_CONNECTED, help: '1 while a node is being read, else 0' });
  const away = gauge(registry, {
    name: SHIP_AWAY,
    help: 'By error code: 1 for the reason why no node is being read',
    ...byCode,
  });
  const disconnects = counter(registry, {
    name: 'history_ship_disconnects_total',
    help: 'Ended state history sessions, by error code',
    ...byCode,
  });
  const refusals = counter(registry, {
    name: 'history_ship_nodes_refused_total',
    help: 'Sessions that ended because the node cannot be used, by error code',
    ...byCode,
  });
  const clearAway = (): void => SESSION_END_CODES.forEach((code) => away.set({ code }, 0));
  for (const code of REFUSALS) refusals.inc({ code }, 0);
  for (const code of SESSION_END_CODES) disconnects.inc({ code }, 0);
  clearAway();
  return {
    began() {
      connects.inc();
      connected.set(1);
      clearAway();
    },
    ended(code) {
      connected.set(0);
      clearAway();
      away.set({ code }, 1);
      disconnects.inc({ code });
      if (isRefusal(code)) refusals.inc({ code });
    },
  };
}
