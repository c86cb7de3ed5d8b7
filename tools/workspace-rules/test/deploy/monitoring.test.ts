import { parse } from 'yaml';
import { dashboardExpressions, readAlertRules, readDashboardPanels, readMetricUses, readText } from '../../src';

/** The table of metrics in docs/monitoring.md, which a test compares with the metrics in the code. */
const ROWS = [
  ...readText('docs/monitoring.md').matchAll(/^\| `((?:history|http)_[a-z_]+)` *\| [^|]+\| ([^|]+)\|$/gm),
].map(([, metric = '', alert = '']) => ({ metric, needsAlert: !alert.startsWith('–') }));
const DOCUMENTED = new Set(ROWS.map(({ metric }) => metric));
/** Metrics of Prometheus itself, and of every process (prom-client). */
const GENERAL = /^(up|process_[a-z_]+|nodejs_[a-z0-9_]+)$/;

/** The documented metric whose series an expression reads; a histogram has three kinds. */
function documentedOf(metric: string): string {
  return DOCUMENTED.has(metric) ? metric : metric.replace(/_(bucket|sum|count)$/, '');
}

function metricsOf(expressions: string[]): string[] {
  return expressions.flatMap(readMetricUses).map(({ metric }) => documentedOf(metric));
}

function unknownIn(expressions: string[]): string[] {
  return metricsOf(expressions).filter((metric) => !DOCUMENTED.has(metric) && !GENERAL.test(metric));
}

describe('the alert rules', () => {
  const rules = readAlertRules();
  const expressions = rules.map(({ expr }) => expr);

  it('read existing metrics only', () => {
    expect(rules.length).toBeGreaterThan(20);
    expect(unknownIn(expressions)).toEqual([]);
  });

  it('have one for each metric that docs/monitoring.md says to watch', () => {
    const watched = new Set(metricsOf(expressions));
    const wanted = ROWS.filter(({ needsAlert }) => needsAlert).map(({ metric }) => metric);
    expect(wanted.length).toBeGreaterThan(20);
    expect(wanted.filter((metric) => !watched.has(metric))).toEqual([]);
  });

  it('watch each chain by itself where the targets have a label for it', () => {
    const aggregations = expressions.flatMap((text) => text.match(/\b(max|min|sum)\b( by \([^)]*\))?(?= ?\()/g) ?? []);
    expect(aggregations.length).toBeGreaterThan(20);
    expect(aggregations.filter((text) => !text.includes('by (chain'))).toEqual([]);
  });

  it('take no time of an event for one in 1970, which the process has not seen yet', () => {
    const ages = [...expressions, ...dashboardExpressions()].filter((text) => /_timestamp_seconds/.test(text));
    expect(ages.length).toBeGreaterThan(1);
    expect(ages.filter((text) => !/_timestamp_seconds(\{[^}]*\})? > 0\)/.test(text))).toEqual([]);
  });

  it.each(rules.map((rule) => ({ rule, name: rule.alert })))('say what $name means and what to do', ({ rule }) => {
    expect(['critical', 'warning']).toContain(rule.labels.severity);
    for (const sentence of [rule.annotations.summary, rule.annotations.action]) expect(sentence).toMatch(/^.{10,}\.$/);
  });

  it('have names of their own', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });
});

describe('the dashboard', () => {
  it('reads existing metrics only, and shows all of them', () => {
    const expressions = dashboardExpressions();
    expect(unknownIn(expressions)).toEqual([]);
    const shown = new Set(metricsOf(expressions));
    expect([...DOCUMENTED].filter((metric) => !shown.has(metric))).toEqual([]);
  });

  it('shows the chains that are chosen', () => {
    const ofChains = dashboardExpressions().filter((text) => /\bhistory_(?!gateway_|requests_counted)/.test(text));
    expect(ofChains.length).toBeGreaterThan(20);
    expect(ofChains.filter((text) => !text.includes('chain=~"$chain"'))).toEqual([]);
  });

  it('has a title on each panel, and no title twice in a row of panels', () => {
    let titles = new Set<string>();
    for (const { title, type } of readDashboardPanels()) {
      if (type === 'row') {
        titles = new Set();
        continue;
      }
      expect([title, titles.has(title)]).toEqual([expect.stringMatching(/./), false]);
      titles.add(title);
    }
  });
});

describe('the scrape configuration', () => {
  it('reads each app of deploy/compose.yaml at the port of its operations listener', () => {
    const { scrape_configs: jobs } = parse(readText('deploy/prometheus/prometheus.yml')) as {
      scrape_configs: {
        job_name: string;
        static_configs?: { targets: string[] }[];
        dns_sd_configs?: { names: string[]; port: number }[];
      }[];
    };
    const found = jobs.map(({ job_name, static_configs = [], dns_sd_configs = [] }) => [
      job_name,
      ...static_configs.flatMap(({ targets }) => targets),
      ...dns_sd_configs.flatMap(({ names, port }) => names.map((name) => `${name}:${port}`)),
    ]);
    const { services } = parse(readText('deploy/compose.yaml')) as { services: Record<string, unknown> };
    const ports = portsOfImages();
    expect(found.sort()).toEqual([...ports].map(([app, port]) => [app, `${app}:${port}`]).sort());
    expect([...ports.keys()].filter((app) => !(app in services))).toEqual([]);
  });
});

/** The ports of the operations listeners in images, by app, from the Dockerfile. */
function portsOfImages(): Map<string, string> {
  const lines = readText('deploy/docker/Dockerfile').matchAll(/HISTORY_OPS__([A-Z_]+)_PORT=(\d+)/g);
  return new Map([...lines].map(([, app = '', port = '']) => [app.toLowerCase().replaceAll('_', '-'), port]));
}

describe('readMetricUses', () => {
  it.each([
    ['up', [{ metric: 'up', labels: [] }]],
    ['sum by (code, x) (rate(a_total{code="1"}[5m])) > 0', [{ metric: 'a_total', labels: ['code', 'x'] }]],
    [
      'a{y="1"} / on (z) sum(b)',
      [
        { metric: 'a', labels: ['y'] },
        { metric: 'b', labels: [] },
      ],
    ],
  ])('reads %s', (expression, uses) => {
    expect(readMetricUses(expression)).toEqual(uses);
  });

  it.each(['sum(', 'a b', '{x="1"}', 'rate(a[5m]'])('refuses %s', (expression) => {
    expect(() => readMetricUses(expression)).toThrow(expression);
  });
});
