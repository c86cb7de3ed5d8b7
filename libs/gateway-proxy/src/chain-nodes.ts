import { z } from 'zod';
import { resultWithin, requestJson, type Logger } from '@antelope-history/app-runtime';
import type { Upstreams } from './upstreams';

/** Nodes are checked while requests arrive, at most once in this time. */
const CHECK_EVERY_MS = 2_000;
/** When the last check is older, a request waits for the next one, at most `WAIT_MS`. */
const STALE_MS = 10_000;
const WAIT_MS = 500;
const NODE_REQUEST = { method: 'POST', timeoutMs: 2_000, maxBytes: 64 * 1024 } as const;
/** A node lags when its head block is more than this many blocks, or 10 seconds, behind that of the best node. */
const MAX_LAG_BLOCKS = 20;

const nodeState = z.object({ chain_id: z.string().length(64), head_block_num: z.int().min(0) });
type NodeState = z.infer<typeof nodeState>;

/**
 * Checks interchangeable chain nodes by their `get_info`. One that fails, lags, or is on another chain, is skipped until a check
 * finds it well, or until `Upstreams` tries it again. A single node is not checked: there is no other to choose.
 */
export class ChainNodes {
  private checkedAt = -Infinity;
  private checking: Promise<void> | undefined;
  private skipped = new Set<string>();

  /**
   * `chainId`: that of the configuration; without it, the chain is that of the first node of the list that responds.
   * `now`: milliseconds of a steady clock.
   */
  constructor(
    private readonly upstreams: Upstreams,
    private readonly chainId: string | undefined,
    private readonly log: Logger,
    private readonly now: () => number,
  ) {}

  /** Resolves when a node can be chosen; never rejects. */
  async ready(): Promise<void> {
    if (this.upstreams.urls.length < 2) return;
    const age = this.now() - this.checkedAt;
    if (age >= CHECK_EVERY_MS) this.checking ??= this.check().finally(() => (this.checking = undefined));
    if (age >= STALE_MS && this.checking) await resultWithin(this.checking, WAIT_MS, undefined);
  }

  private async check(): Promise<void> {
    const { urls } = this.upstreams;
    const states = await Promise.all(urls.map(readState));
    this.checkedAt = this.now();
    const chainId = this.chainId ?? states.find((state) => state !== undefined)?.chain_id;
    const ofChain = states.filter((state) => state?.chain_id === chainId);
    const best = Math.max(0, ...ofChain.map((state) => state?.head_block_num ?? 0));
    for (const [index, url] of urls.entries()) this.judge(url, faultOf(states[index], chainId, best));
  }

  private judge(url: string, fault: string | undefined): void {
    if (fault === undefined) {
      this.upstreams.setAvailable(url);
      this.skipped.delete(url);
      return;
    }
    this.upstreams.setUnavailable(url);
    if (!this.skipped.has(url)) this.log.warn({ url, fault }, 'a chain node is skipped');
    this.skipped.add(url);
  }
}

function faultOf(state: NodeState | undefined, chainId: string | undefined, best: number): string | undefined {
  if (!state) return 'it does not respond to get_info';
  if (state.chain_id !== chainId) return 'it is on another chain';
  const lag = best - state.head_block_num;
  return lag > MAX_LAG_BLOCKS ? `it is ${lag} blocks behind` : undefined;
}

async function readState(url: string): Promise<NodeState | undefined> {
  try {
    return nodeState.parse(await requestJson(`${url.replace(/\/$/, '')}/v1/chain/get_info`, NODE_REQUEST));
  } catch {
    return undefined;
  }
}
