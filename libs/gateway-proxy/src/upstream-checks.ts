import { resultWithin, type Logger } from '@antelope-history/app-runtime';
import type { Upstreams } from './upstreams';

/** Upstreams are checked while requests arrive or wait, at most once in this time. */
export const CHECK_EVERY_MS = 2_000;
/** When the last check is older, a request waits for the next one, at most `WAIT_MS`. */
const STALE_MS = 5_000;
const WAIT_MS = 500;

/** What is wrong with an upstream. */
export interface Fault {
  reason: string;
  /** The upstream did not respond to the check. It has no fault if it responds to requests meanwhile: it is slow. */
  isSilent?: true;
}

/** Resolves to what is wrong with each of `urls`, in their order: undefined for one that can be used. Never rejects. */
export type FindFaults = (urls: readonly string[]) => Promise<(Fault | undefined)[]>;

/**
 * Skips those of several interchangeable upstreams that have a fault, until a check finds them well. A single upstream is not
 * checked: there is no other to choose.
 */
export class UpstreamChecks {
  private checkedAt = -Infinity;
  private checking: Promise<void> | undefined;
  /** The upstreams that responded to a request since the last check began. */
  private readonly responding = new Set<string>();
  private readonly listeners: ((url: string) => void)[] = [];

  /** `now`: milliseconds of a steady clock. */
  constructor(
    private readonly set: { name: string; upstreams: Upstreams },
    private readonly findFaults: FindFaults,
    private readonly log: Logger,
    private readonly now: () => number,
  ) {}

  /** Calls `listener` with the URL of each upstream that a check finds a fault in while another one has none. */
  onFault(listener: (url: string) => void): void {
    this.listeners.push(listener);
  }

  /**
   * Notes that an upstream responded to a request. A busy one that lost its requests to the others because it was slow to respond to a
   * check would make those slow, too.
   */
  noteResponse(url: string): void {
    this.responding.add(url);
  }

  /** Resolves when an upstream can be chosen; never rejects. */
  async ready(): Promise<void> {
    if (this.set.upstreams.urls.length < 2) return;
    const age = this.now() - this.checkedAt;
    if (age >= CHECK_EVERY_MS) this.checking ??= this.check().finally(() => (this.checking = undefined));
    if (age >= STALE_MS && this.checking) await resultWithin(this.checking, WAIT_MS, undefined);
  }

  private async check(): Promise<void> {
    const { urls } = this.set.upstreams;
    this.responding.clear();
    const found = await this.findFaults(urls);
    const faults = urls.map((url, index) => this.faultOf(url, found[index]));
    this.checkedAt = this.now();
    for (const [index, url] of urls.entries()) this.judge(url, faults[index]);
    if (!faults.includes(undefined)) return;
    const faulty = urls.filter((_url, index) => faults[index] !== undefined);
    for (const url of faulty) for (const listener of this.listeners) listener(url);
  }

  private faultOf(url: string, found: Fault | undefined): string | undefined {
    return found?.isSilent && this.responding.has(url) ? undefined : found?.reason;
  }

  private judge(url: string, fault: string | undefined): void {
    const { name, upstreams } = this.set;
    const wasFaulty = upstreams.isFaulty(url);
    if (fault === undefined) {
      upstreams.setWell(url);
      if (wasFaulty) this.log.info({ upstream: name, url }, 'an upstream is used again');
    } else {
      upstreams.setFaulty(url);
      if (!wasFaulty) this.log.warn({ upstream: name, url, fault }, 'an upstream is skipped');
    }
  }
}
