import { DataFields, valuesOf } from '@antelope-history/data-fields';
import { readFurtherTraces } from '@antelope-history/records';
import { dataTerm } from '../indices/data-terms';
import type { ActionDocument } from '../indices/documents';
import type { MigrationPlan } from '../indices/migration-plan';
import type { ReadAction } from '../read/action-reader';
import type { Snapshot } from '../read/snapshot';
import { asciiJson } from '../write/ascii-json';
import { BulkRequest } from '../write/bulk-request';
import { StoredDecoders } from './stored-decoders';

/** Adds the fields that stored actions lack, with the contents with which the writer writes new ones. */
export class MissingFields {
  private readonly dataFields: DataFields;
  private readonly decoders = new StoredDecoders();

  constructor(private readonly plan: Pick<MigrationPlan, 'traces' | 'fields'>) {
    this.dataFields = new DataFields(plan.fields);
  }

  /** The replacements of the actions that lack something. */
  async updatesOf(actions: readonly ReadAction[], snapshot: Snapshot): Promise<BulkRequest> {
    const terms = await this.dataTermsOf(actions, snapshot);
    const request = new BulkRequest();
    request.failsOnConflict = true;
    for (const [index, { document, version }] of actions.entries()) {
      const missing = { ...this.furtherTracesOf(document), ...dataOf(document, terms.get(index)) };
      if (Object.keys(missing).length === 0) continue;
      const { block_num: num, block: id } = document;
      request.replaceSame(version, asciiJson({ ...document, ...missing }), { num, id });
    }
    return request;
  }

  private furtherTracesOf({ record }: ActionDocument): Partial<ActionDocument> {
    const further = this.plan.traces && readFurtherTraces(Buffer.from(record, 'base64'));
    return further ? { authorizers: further.authorizers, further_traces: further.count } : {};
  }

  /** By the index of the action; no entry for actions without values. */
  private async dataTermsOf(actions: readonly ReadAction[], snapshot: Snapshot): Promise<Map<number, string[]>> {
    const withFields = [...actions.entries()].filter(
      ([, { document }]) => this.dataFields.of(document.contract, document.name).length > 0,
    );
    const requests = withFields.map(([, { document }]) => ({
      account: document.contract,
      blockNum: document.block_num,
      sequence: document.sequence,
    }));
    const terms = new Map<number, string[]>();
    await this.decoders.forEach(snapshot, requests, (each, decoder) => {
      const [index, { document, row }] = withFields[each] as [number, ReadAction];
      const fields = this.dataFields.of(document.contract, document.name);
      const values = valuesOf(fields, decoder?.decodeAction(document.name, row.action.data));
      if (values.length === 0) return;
      terms.set(
        index,
        values.map(({ field, text }) => dataTerm(field.field, text)),
      );
    });
    return terms;
  }
}

/** With the values of fields that were indexed before. */
function dataOf({ data = [] }: ActionDocument, terms: readonly string[] | undefined): Partial<ActionDocument> {
  return terms ? { data: [...new Set([...data, ...terms])] } : {};
}
