import { blockTimestampToMs } from '@antelope-history/abi';
import { ConnectionError, describeTrouble } from '@antelope-history/connectivity';
import { readBlockHeader, type BlocksResult, type ShipStatus } from '@antelope-history/ship';
import { ShipSession } from '../ship-session';
import { shipServerName, type ShipSocketOptions } from '../ship-socket';

/*
 * Single requests to a node, each on a session of its own that ends with the response or when `signal` is aborted.
 */

/** Rejects as `ShipSession.open`. */
export function readNodeStatus(socket: ShipSocketOptions, signal: AbortSignal): Promise<ShipStatus> {
  const ignore = (): void => undefined;
  return withSession(socket, signal, ignore, (_session, status) => Promise.resolve(status));
}

/** The timestamp of the node's head block, in milliseconds since 1970; undefined when the node sends no block. */
export function readHeadTime(socket: ShipSocketOptions, signal: AbortSignal): Promise<number | undefined> {
  let time: number | undefined;
  let awaited = Infinity;
  let headNum = 0;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const take = ({ thisBlock, block }: BlocksResult): void => {
    if (block) time = blockTimestampToMs(readBlockHeader(block).timestamp);
    if (--awaited === 0 || thisBlock?.num === headNum) finish();
  };
  return withSession(socket, signal, take, async (session, { head }) => {
    // EOSIO 2.0 briefly has no data for its newest head block; then the block before it is used.
    const startBlock = Math.max(1, head.num - 1);
    const endBlock = head.num + 1;
    headNum = head.num;
    awaited = endBlock - startBlock;
    session.request({ startBlock, endBlock, maxMessagesInFlight: awaited, havePositions: [], irreversibleOnly: false });
    await finished;
    return time;
  });
}

async function withSession<T>(
  socket: ShipSocketOptions,
  signal: AbortSignal,
  onBlocks: (result: BlocksResult) => void,
  use: (session: ShipSession, status: ShipStatus) => Promise<T>,
): Promise<T> {
  const timedOut = new ConnectionError(describeTrouble('no_answer', shipServerName(socket.url)), 'SHIP_DISCONNECTED');
  return new Promise<T>((resolve, reject) => {
    const session = new ShipSession(socket, { onBlocks, onEnd: reject });
    signal.addEventListener('abort', () => session.close(timedOut), { once: true });
    session
      .open()
      .then((status) => use(session, status))
      .then(resolve, reject)
      .finally(() => session.close(timedOut));
  });
}
