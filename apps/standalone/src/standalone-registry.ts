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
    const parts = [
      await this.own.getMetricsAsJSON(),
      await super.getMetricsAsJSON(),
      await this.readIngestionMetrics(),
    ];
    return AggregatorRegistry.aggregate(parts).metrics();
  }
}
