import type { ErrorCode } from '@antelope-history/schemas';
import { counter, gauge, type Registry } from '@antelope-history/service';

/** The gauge by which others tell whether a node is there. */
export const SHIP_CONNECTED = 'history_ship_connected';
export const SHIP_MESSAGES = 'history_ship_messages_total';
export const HEAD_BLOCK = 'history_head_block';
export const PASSED_BLOCK = 'history_passed_block';

/** 1 for why no node is read now, by error code. */
export const SHIP_AWAY = 'history_ship_away';

export interface ReaderMetrics {
  /** A node sends from now on. */
  began(): void;
  /** A session, or the try to begin one, ended with an error. */
  ended(code: ErrorCode): void;
  forks: { inc(): void };
  refetches: { inc(): void };
  heads: { set(blockNum: number): void };
  published(blockNum: number, bytes: number): void;
}

/** Why a node is refused: it answers, and is not one to read. The process lives on, and the next node is tried. */
const REFUSALS = [
  'SHIP_UNSUPPORTED',
  'SHIP_DATA_MISSING',
  'SHIP_MESSAGE_TOO_LARGE',
  'CHAIN_ID_MISMATCH',
  'FORK_TOO_DEEP',
  'ACCESS_REFUSED',
  'CERTIFICATE_REFUSED',
] as const satisfies ErrorCode[];

/** Why a session may end besides. */
const OTHER_ENDS: ErrorCode[] = ['SHIP_DISCONNECTED', 'SHIP_MESSAGE_CORRUPT', 'BLOCK_GAP', 'BROKER_UNAVAILABLE'];

export function isRefusal(code: string): code is (typeof REFUSALS)[number] {
  return (REFUSALS as readonly string[]).includes(code);
}

export function createReaderMetrics(registry: Registry): ReaderMetrics {
  const messages = counter(registry, {
    name: SHIP_MESSAGES,
    help: 'State history messages passed on to the deserializers',
  });
  const bytes = counter(registry, { name: 'history_ship_bytes_total', help: 'Bytes of these messages' });
  const passed = gauge(registry, { name: PASSED_BLOCK, help: 'Number of the block that was passed on last' });
  return {
    ...createSessionMetrics(registry),
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

function createSessionMetrics(registry: Registry): Pick<ReaderMetrics, 'began' | 'ended'> {
  const byCode = { labelNames: ['code'] };
  const connects = counter(registry, { name: 'history_ship_connects_total', help: 'State history sessions opened' });
  const connected = gauge(registry, { name: SHIP_CONNECTED, help: '1 while a node sends its state history, else 0' });
  const away = gauge(registry, { name: SHIP_AWAY, help: '1 for why no node is read now, by error code', ...byCode });
  const disconnects = counter(registry, {
    name: 'history_ship_disconnects_total',
    help: 'Ends of a state history session, by error code',
    ...byCode,
  });
  const refusals = counter(registry, {
    name: 'history_ship_nodes_refused_total',
    help: 'Times that a node was refused for what it is or sent, by error code',
    ...byCode,
  });
  const codes = [...REFUSALS, ...OTHER_ENDS];
  const clearAway = (): void => codes.forEach((code) => away.set({ code }, 0));
  for (const code of REFUSALS) refusals.inc({ code }, 0);
  for (const code of codes) disconnects.inc({ code }, 0);
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
