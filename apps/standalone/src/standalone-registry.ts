import type { MetricsJson } from '@antelope-history/app-runtime';
import { AggregatorRegistry, Registry } from 'prom-client';
import type { ThreadList } from './threads/thread-list';

/** The metrics of the process: those of the main thread and, at each scrape, those of its other threads. */
export class StandaloneRegistry extends Registry {
  constructor(
    private readonly own: Registry,
    private readonly threads: ThreadList,
  ) {
    super();
  }

  override async metrics(): Promise<string> {
    return AggregatorRegistry.aggregate(await this.readParts()).metrics();
  }

  override async getMetricsAsJSON(): Promise<MetricsJson> {
    return (await this.readParts()).flat();
  }

  private async readParts(): Promise<MetricsJson[]> {
    return [await this.own.getMetricsAsJSON(), await super.getMetricsAsJSON(), ...(await this.threads.metrics())];
  }
}
