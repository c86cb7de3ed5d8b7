import { addressOf } from '@antelope-history/connectivity';
import { ok, toFinding, unknown, warning, wrong, type Check, type Finding } from '@antelope-history/connectivity/check';
import { hasErrorCode } from '@antelope-history/schemas';
import type { Config } from '@antelope-history/app-runtime';
import type { ShipStatus } from '@antelope-history/ship';
import { firstBlockOf } from '../chain-position';
import { readHeadTime, readNodeStatus } from './node-probe';

export interface ShipCheckOptions {
  config: Pick<Config, 'ship' | 'chainId'>;
  /** What the store holds; undefined when it is empty. Rejects when the store cannot be read. */
  readStored(): Promise<StoredChain | undefined>;
  /** Milliseconds since 1970. */
  now(): number;
}

export interface StoredChain {
  chainId: string | undefined;
  committed: { num: number } | undefined;
}

/** Blocks are half a second apart; the rest allows for the network and clock drift. */
const MAX_CLOCK_DIFFERENCE_MS = 5_000;

/** The checks of each node in `ship.urls`. */
export function shipChecks(options: ShipCheckOptions): Check[] {
  return [...new Set(options.config.ship.urls)].flatMap((url) => nodeChecks(url, options));
}

function nodeChecks(url: string, { config, readStored, now }: ShipCheckOptions): Check[] {
  const node = `ship ${addressOf(url)}`;
  const socket = { url, caFile: config.ship.caFile, maxMessageBytes: config.ship.maxMessageBytes };
  let status: Promise<ShipStatus> | undefined;
  const readStatus = (signal: AbortSignal): Promise<ShipStatus> => (status ??= readNodeStatus(socket, signal));
  const history = `${node} history`;
  return [
    { name: node, needs: [], run: (signal) => checkStatus(node, readStatus(signal)) },
    { name: history, needs: [node], run: async (signal) => checkHistory(await readStatus(signal)) },
    {
      name: `${node} chain`,
      needs: [node],
      run: async (signal) => {
        const expected = config.chainId ?? (await readStored())?.chainId;
        return checkChain((await readStatus(signal)).chainId, config.chainId, expected);
      },
    },
    {
      name: `${node} start`,
      needs: [history],
      run: async (signal) => {
        const first = firstBlockOf(await readStatus(signal));
        return checkStart(first, config.ship.startBlock, (await readStored())?.committed?.num);
      },
    },
    {
      name: `${node} clock`,
      needs: [history],
      run: async (signal) => checkClock(await readHeadTime(socket, signal), now()),
    },
  ];
}

async function checkStatus(node: string, status: Promise<ShipStatus>): Promise<Finding> {
  try {
    const { head } = await status;
    return ok('ship.answers', `the node answers; its head is block ${head.num}`);
  } catch (error) {
    return describeFailure(error, node);
  }
}

function describeFailure(error: unknown, node: string): Finding {
  if (hasErrorCode(error, 'SHIP_UNSUPPORTED')) {
    return wrong(
      'ship.not_state_history',
      `the websocket of ${node} does not begin with the ABI of a known state history version`,
      "set ship.urls to the node's state-history-endpoint; EOSIO 2.0 and later, Leap and Spring are supported",
    );
  }
  return toFinding(error, 'ship');
}

function checkHistory({ traceBegin, traceEnd, chainStateBegin, chainStateEnd }: ShipStatus): Finding {
  if (traceEnd === 0 && chainStateEnd - chainStateBegin === 1) {
    return warning(
      'ship.no_traces_yet',
      'the node has the state of one block and no traces, as right after its start from a snapshot',
      'make sure that its configuration has trace-history = true, and check again after its next block',
    );
  }
  const missing = [
    ...(traceEnd === 0 ? ['trace-history'] : []),
    ...(chainStateEnd === 0 ? ['chain-state-history'] : []),
  ];
  if (missing.length > 0) {
    return wrong(
      'ship.history_missing',
      `the node does not keep ${missing.join(' and ')}`,
      `set ${missing.map((option) => `${option} = true`).join(' and ')} in its configuration, and replay it or start it from a snapshot`,
    );
  }
  const traces = `traces from block ${traceBegin} to ${traceEnd - 1}`;
  return ok('ship.history', `the node has ${traces}, state from ${chainStateBegin} to ${chainStateEnd - 1}`);
}

/** `expected`: the configured chain id, else the store's. */
function checkChain(chainId: string | undefined, configured: string | undefined, expected = chainId): Finding {
  if (chainId === undefined)
    return ok('ship.chain_unknown', 'the node does not report its chain id, like every EOSIO 2.0 node');
  if (chainId === expected) return ok('ship.chain', `the node is on chain ${chainId}`);
  const source = configured === undefined ? 'the store holds' : 'chain_id says';
  return wrong(
    'ship.chain_id_mismatch',
    `the node is on chain ${chainId}, ${source} ${expected}`,
    'set ship.urls to a node of that chain, or use another store for this chain',
  );
}

function checkStart(first: number, startBlock: number, committed: number | undefined): Finding {
  const isEmpty = committed === undefined;
  const next = isEmpty ? startBlock || first : committed + 1;
  if (first <= next) return ok('ship.start', `the node has block ${next}, the next one needed`);
  return wrong(
    'ship.history_begins_late',
    `the node's history begins at block ${first}, the next one needed is ${next}`,
    `set ship.urls to a node that has it${isEmpty ? ', or ship.start_block to a later block' : ''}`,
  );
}

function checkClock(headTime: number | undefined, now: number): Finding {
  if (headTime === undefined) return unknown('ship.no_head', 'could not be checked: the node sent no head block');
  const age = now - headTime;
  const seconds = Math.round(Math.abs(age) / 1000);
  if (age < -MAX_CLOCK_DIFFERENCE_MS) {
    return wrong(
      'ship.clock_behind',
      `the node's head block is ${seconds} seconds in the future: this machine's clock is behind`,
      'synchronize the clock of this machine, for example with NTP',
    );
  }
  if (age > MAX_CLOCK_DIFFERENCE_MS) {
    return warning(
      'ship.head_old',
      `the node's head block is ${seconds} seconds old`,
      "check whether the node is in sync with its chain; if it is, this machine's clock is ahead",
    );
  }
  return ok('ship.clock', `the node's head block is ${seconds} seconds old`);
}
