import { blockTimestampToMs } from '@antelope-history/abi';
import { ConnectionError, describeTrouble } from '@antelope-history/connections';
import { readBlockHeader, type BlocksResult, type ShipStatus } from '@antelope-history/ship';
import { ShipSession } from '../ship-session';
import { shipServerName, type ShipSocketOptions } from '../ship-socket';

/** Asking a node a thing or two, each on a session of its own that ends with the answer or when `signal` is raised. */

/** Rejects as `ShipSession.open`. */
export function readNodeStatus(socket: ShipSocketOptions, signal: AbortSignal): Promise<ShipStatus> {
  const ignore = (): void => undefined;
  return withSession(socket, signal, ignore, (_session, status) => Promise.resolve(status));
}

/** When the node's head block was made, in milliseconds since 1970; undefined when the node gives no block. */
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
    // EOSIO 2.0 has nothing under the number of its head for a moment: the one before is as good.
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
  const silent = new ConnectionError(describeTrouble('no_answer', shipServerName(socket.url)), 'SHIP_DISCONNECTED');
  return new Promise<T>((resolve, reject) => {
    const session = new ShipSession(socket, { onBlocks, onEnd: reject });
    signal.addEventListener('abort', () => session.close(silent), { once: true });
    session
      .open()
      .then((status) => use(session, status))
      .then(resolve, reject)
      .finally(() => session.close(silent));
  });
}
