import { z } from 'zod';
import { requestJson } from '@antelope-history/app-runtime';
import type { Fault, FindFaults } from './upstream-checks';

const NODE_REQUEST = { method: 'POST', timeoutMs: 2_000, maxBytes: 64 * 1024 } as const;
/** A node lags when its head block is more than this many blocks, or 10 seconds, behind that of the best node. */
const MAX_LAG_BLOCKS = 20;

const nodeState = z.object({ chain_id: z.string().length(64), head_block_num: z.int().min(0) });
type NodeState = z.infer<typeof nodeState>;

/**
 * Checks chain nodes by their `get_info`: whether they respond, are on the chain, and do not lag.
 * `configured`: the chain id of the configuration; without it, the chain is that of the first node of the list that responds.
 */
export function findNodeFaults(configured: string | undefined): FindFaults {
  return async (urls) => {
    const states = await Promise.all(urls.map(readState));
    const chainId = configured ?? states.find((state) => state !== undefined)?.chain_id;
    const ofChain = states.filter((state) => state?.chain_id === chainId);
    const best = Math.max(0, ...ofChain.map((state) => state?.head_block_num ?? 0));
    return states.map((state) => faultOf(state, chainId, best));
  };
}

function faultOf(state: NodeState | undefined, chainId: string | undefined, best: number): Fault | undefined {
  if (!state) return { reason: 'it does not respond to get_info' };
  if (state.chain_id !== chainId) return { reason: 'it is on another chain' };
  const lag = best - state.head_block_num;
  return lag > MAX_LAG_BLOCKS ? { reason: `it is ${lag} blocks behind` } : undefined;
}

async function readState(url: string): Promise<NodeState | undefined> {
  try {
    return nodeState.parse(await requestJson(`${url.replace(/\/$/, '')}/v1/chain/get_info`, NODE_REQUEST));
  } catch {
    return undefined;
  }
}
