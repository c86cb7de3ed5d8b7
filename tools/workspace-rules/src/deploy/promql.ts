import { createRequire } from 'node:module';
import type { LRParser } from '@lezer/lr';

// The package has a build for `require`, and types for `import` only.
const { parser } = createRequire(__filename)('@prometheus-io/lezer-promql') as { parser: LRParser };

/** A metric that an expression reads, and the labels by which it selects or groups series of it. */
export interface MetricUse {
  metric: string;
  labels: string[];
}

/**
 * The metrics that a PromQL expression reads, parsed with the grammar of Prometheus' own interface. The labels of an aggregation
 * count for each metric within it. Throws on an expression that does not parse.
 */
export function readMetricUses(expression: string): MetricUse[] {
  const uses: MetricUse[] = [];
  /** The labels of the aggregations around the current node, one entry per aggregation. */
  const groupings: string[][] = [];
  const text = (node: { from: number; to: number }): string => expression.slice(node.from, node.to);
  parser.parse(expression).iterate({
    enter: (node) => {
      if (node.type.isError) throw new Error(`not a PromQL expression at ${node.from}: ${expression}`);
      if (node.name === 'AggregateExpr') groupings.push(labelsIn(node.node.getChild('AggregateModifier')));
      if (node.name !== 'VectorSelector') return;
      const name = node.node.getChild('Identifier');
      if (!name) throw new Error(`a selector without a metric: ${expression}`);
      const labels = [...labelsIn(node.node.getChild('LabelMatchers')), ...groupings.flat()];
      uses.push({ metric: text(name), labels: [...new Set(labels)] });
    },
    leave: (node) => {
      if (node.name === 'AggregateExpr') groupings.pop();
    },
  });
  return uses;

  function labelsIn(node: ReturnType<typeof parser.parse>['topNode'] | null): string[] {
    const labels: string[] = [];
    node?.cursor().iterate((inner) => {
      if (inner.name === 'LabelName') labels.push(text(inner));
    });
    return labels;
  }
}
