import { z } from 'zod';
import { nodeInfo, type NodeInfo } from '@antelope-history/chain-routes';
import { resultWithin, requestJson } from '@antelope-history/app-runtime';

/** What a chain node reports of itself, and the chain that it is on. */
export interface ReportedNodeInfo {
  chainId: string;
  info: NodeInfo;
}

/** Never rejects, and resolves within `WAIT_MS`: undefined when no node has responded lately. */
export type ReadNodeInfo = () => Promise<ReportedNodeInfo | undefined>;

/** How long a response of ours waits for a node when nothing recent is known. */
const WAIT_MS = 500;
/** A report is used for this time, and asked for anew after `FRESH_MS`. */
const USABLE_MS = 10_000;
const FRESH_MS = 1_000;
/** After all nodes failed, none is asked for this time. */
const RETRY_AFTER_MS = 5_000;
const NODE_REQUEST = { method: 'POST', timeoutMs: 2_000, maxBytes: 64 * 1024 } as const;

const report = nodeInfo.partial().extend({ chain_id: z.string().regex(/^[0-9a-f]{64}$/) });

/**
 * Creates the reader of the fields that only a chain node knows. Requests share one report, so that the nodes get at most
 * one request per second. Without URLs there is never a report.
 *
 * @param now milliseconds of a clock that nobody sets
 */
export function createNodeInfoReader(
  urls: readonly string[],
  now: () => number = () => performance.now(),
): ReadNodeInfo {
  if (urls.length === 0) return () => Promise.resolve(undefined);
  const state = new NodeReports(urls, now);
  return () => state.read();
}

class NodeReports {
  private known: { report: ReportedNodeInfo; at: number } | undefined;
  private failedAt = -Infinity;
  private asking: { done: Promise<void>; since: number } | undefined;
  private preferred = 0;

  constructor(
    private readonly urls: readonly string[],
    private readonly now: () => number,
  ) {}

  async read(): Promise<ReportedNodeInfo | undefined> {
    if (!this.isYoungerThan(FRESH_MS)) this.startAsking();
    if (!this.isYoungerThan(USABLE_MS) && this.asking) {
      const left = Math.max(0, this.asking.since + WAIT_MS - this.now());
      await resultWithin(this.asking.done, left, undefined);
    }
    return this.isYoungerThan(USABLE_MS) ? this.known?.report : undefined;
  }

  private isYoungerThan(ms: number): boolean {
    return this.known !== undefined && this.now() - this.known.at < ms;
  }

  private startAsking(): void {
    if (this.asking || this.now() - this.failedAt < RETRY_AFTER_MS) return;
    const done = this.ask().finally(() => (this.asking = undefined));
    this.asking = { done, since: this.now() };
  }

  /** Asks one node after another, beginning with the one that responded last. */
  private async ask(): Promise<void> {
    for (let tried = 0; tried < this.urls.length; tried++) {
      const found = await askNode(this.urls[this.preferred] as string);
      if (found) {
        this.known = { report: found, at: this.now() };
        return;
      }
      this.preferred = (this.preferred + 1) % this.urls.length;
    }
    this.failedAt = this.now();
  }
}

/** Undefined when the node does not respond in time, or with something else than `get_info` of a node. */
async function askNode(url: string): Promise<ReportedNodeInfo | undefined> {
  try {
    const body = await requestJson(`${url.replace(/\/$/, '')}/v1/chain/get_info`, NODE_REQUEST);
    const { chain_id: chainId, ...info } = report.parse(body);
    return { chainId, info };
  } catch {
    return undefined;
  }
}
