import { parse } from 'yaml';
import { readText } from './deploy-files';

export interface AlertRule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity?: string };
  annotations: { summary?: string; action?: string };
}

/** The alert rules for Prometheus. */
export function readAlertRules(): AlertRule[] {
  const { groups } = parse(readText('deploy/prometheus/alerts.yaml')) as { groups: { rules: AlertRule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

export interface DashboardPanel {
  title: string;
  type: string;
  targets?: { expr: string }[];
}

/** The panels of the dashboard for Grafana. */
export function readDashboardPanels(): DashboardPanel[] {
  const { panels } = JSON.parse(readText('deploy/grafana/dashboard.json')) as { panels: DashboardPanel[] };
  return panels;
}

/** All expressions of the dashboard; Grafana replaces the interval. */
export function dashboardExpressions(): string[] {
  const targets = readDashboardPanels().flatMap(({ targets: ofPanel = [] }) => ofPanel);
  return targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '1m'));
}
