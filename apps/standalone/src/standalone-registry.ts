import { AggregatorRegistry, Registry, type MetricObjectWithValues, type MetricValue } from 'prom-client';

type MetricsJson = MetricObjectWithValues<MetricValue<string>>[];

/** The metrics of the process: those of the main thread and, at each scrape, those of the ingestion thread. */
export class StandaloneRegistry extends Registry {
  constructor(
    private readonly own: Registry,
    private readonly readIngestionMetrics: () => Promise<MetricsJson>,
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
    return [await this.own.getMetricsAsJSON(), await super.getMetricsAsJSON(), await this.readIngestionMetrics()];
  }
}
