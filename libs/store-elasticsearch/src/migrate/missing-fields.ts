import { DataFields, type DataValue, valuesOf } from '@antelope-history/data-fields';
import { readFurtherTraces } from '@antelope-history/records';
import type { MigrationPlan } from '../indices/migration-plan';
import { layoutOf } from '../indices/progress';
import type { ReadAction } from '../read/action-reader';
import type { QueryState } from '../read/query-state';
import { changedActionJson } from '../write/action-json';
import { BulkRequest } from '../write/bulk-request';
import { StoredDecoders } from './stored-decoders';

const NONE: readonly DataValue[] = [];

/** Adds the fields that stored actions lack: replaces them by what the writer writes of new ones. */
export class MissingFields {
  private readonly added: DataFields;
  private readonly decoders = new StoredDecoders();

  constructor(private readonly plan: Pick<MigrationPlan, 'traces' | 'fields'>) {
    this.added = new DataFields(plan.fields);
  }

  /** The replacements of the actions that lack something. */
  async updatesOf(actions: readonly ReadAction[], state: QueryState): Promise<BulkRequest> {
    const values = await this.valuesOf(actions, state);
    const layout = layoutOf(state.progress);
    const request = new BulkRequest();
    request.failsOnConflict = true;
    for (const [index, { document, row, version }] of actions.entries()) {
      const data = values.get(index) ?? NONE;
      const lacksTraces = this.plan.traces && readFurtherTraces(document.record) !== undefined;
      if (!lacksTraces && !data.some(({ field }) => this.plan.fields.includes(field.key))) continue;
      const block = { num: document.blockNum, id: document.block };
      request.replaceSame(version, changedActionJson(document, row.action, data, layout), block);
    }
    return request;
  }

  /**
   * By the index of the action: the values of all its indexed data fields; no entry for actions that cannot have any of a field that is
   * added, unless they lack something else.
   */
  private async valuesOf(
    actions: readonly ReadAction[],
    state: QueryState,
  ): Promise<Map<number, readonly DataValue[]>> {
    const indexed = new DataFields([...this.plan.fields, ...Object.keys(state.progress.data_fields ?? {})]);
    const considered = this.plan.traces ? indexed : this.added;
    const withFields = [...actions.entries()].filter(
      ([, { row }]) => considered.of(row.action.account, row.action.name).length > 0,
    );
    const requests = withFields.map(([, { document, row }]) => ({
      account: row.action.account,
      blockNum: document.blockNum,
      sequence: document.sequence,
    }));
    const values = new Map<number, readonly DataValue[]>();
    await this.decoders.forEach(state, requests, (each, decoder) => {
      const [index, { row }] = withFields[each] as [number, ReadAction];
      const { account, name, data } = row.action;
      values.set(index, valuesOf(indexed.of(account, name), decoder?.decodeAction(name, data)));
    });
    return values;
  }
}
