import type { ProgressDocument } from '../indices/documents';
import type { MigrationPlan } from '../indices/migration-plan';

/**
 * What the actions of a store lack; undefined when they lack nothing. Continues an unfinished migration that adds all of it.
 *
 * Positions of traces are counted from the first block: they stay unavailable once blocks were removed.
 */
export function planOf(
  progress: ProgressDocument,
  dataFields: readonly string[],
  unfinished: MigrationPlan | undefined,
): MigrationPlan | undefined {
  const { first_block_num: first, data_fields: indexed = {} } = progress;
  if (first === undefined) return undefined;
  const fields = dataFields.filter((key) => (indexed[key] ?? Infinity) > first).sort();
  const traces = !progress.counts_traces && !progress.has_removed_blocks;
  if (!traces && fields.length === 0) return undefined;
  const isBegun =
    unfinished && (unfinished.traces || !traces) && fields.every((key) => unfinished.fields.includes(key));
  const { next_block, next_sequence } = isBegun ? unfinished : { next_block: first, next_sequence: 0 };
  return { traces, fields, next_block, next_sequence };
}
