import type { DataValue } from '@antelope-history/data-fields';
import { type ActionEntry, type ActionRecord, type FurtherTraces, readFurtherTraces } from '@antelope-history/records';
import { type ActionOrigin, encodeOrigin } from '../indices/action-origin';
import { dataTerm } from '../indices/data-terms';
import type { ActionLayout } from '../indices/documents';
import { docValues, recordField } from '../indices/doc-values';
import type { FoundAction } from '../indices/hits';
import { encodeTallied } from '../indices/tallied-action';
import { asciiJson } from './ascii-json';

/*
 * Most documents are actions. Their JSON is concatenated: names, hashes and base64 need no escaping, and the fields common to
 * a transaction are serialized once.
 */

/** The beginning of the documents of a transaction's actions. */
export function originJson(origin: ActionOrigin, layout: ActionLayout): string {
  const { blockNum, block, timestamp, firstSequence, transaction } = origin;
  const ofBlock = `{"block_num":${blockNum},"block":"${block}"`;
  if (layout === 'doc-values') return `${ofBlock},"origin":"${encodeOrigin(origin)}"`;
  const id = transaction.toString('hex');
  return `${ofBlock},"timestamp":${timestamp},"transaction":"${id}","first_sequence":${firstSequence}`;
}

/** What an action is indexed by of its data. */
export interface IndexedData {
  values: readonly DataValue[];
  /** See `dataMark`; absent in an action of a block that no fork can replace, and in one that has no data field. */
  mark?: string;
}

/** The document of an action; `origin`: its beginning, `originJson`. */
export function actionJson(origin: string, action: ActionEntry, data: IndexedData, layout: ActionLayout): string {
  const { sequence, accounts, account, name, root, bytes } = action;
  const further = readFurtherTraces(bytes);
  const record = bytes.toString('base64');
  const contents =
    layout === 'source'
      ? `"record":"${record}"`
      : `"tallied":${valuesJson(encodeTallied(action, further))},"${recordField(record)}":"${record}"`;
  return (
    `${origin},"sequence":${sequence},"accounts":["${accounts.join('","')}"],` +
    `"contract":"${account}","name":"${name}","root":${root},${dataJson(data)}${furtherTracesJson(further)}${contents}}`
  );
}

/** The document of a stored action with other values of data fields. `action`: its decoded record. */
export function changedActionJson(
  found: FoundAction,
  action: ActionRecord,
  values: readonly DataValue[],
  layout: ActionLayout,
): string {
  const { sequence, record: bytes } = found;
  const origin = originJson({ ...found, transaction: Buffer.from(found.transaction, 'hex') }, layout);
  return actionJson(origin, { ...searchedBy(action), sequence, bytes }, { values }, layout);
}

/** What an action is searched by besides its sequence. */
function searchedBy({ account, name, authorization, traces }: ActionRecord): Omit<ActionEntry, 'sequence' | 'bytes'> {
  const receivers = traces.map(({ receiver }) => receiver);
  const accounts = new Set([...receivers, ...authorization.map(({ actor }) => actor)]);
  return { account, name, root: traces[0]?.creatorOrdinal === 0, accounts: [...accounts] };
}

/** With a comma behind, or empty. */
function dataJson({ values, mark }: IndexedData): string {
  if (values.length === 0 && mark === undefined) return '';
  const terms = values.map(({ field, text }) => asciiJson(dataTerm(field.field, text)));
  if (mark !== undefined) terms.push(`"${mark}"`);
  return `"data":[${terms.join()}],`;
}

/** With a comma behind, or empty. */
function furtherTracesJson(further: FurtherTraces | undefined): string {
  if (!further) return '';
  return `"authorizers":["${further.authorizers.join('","')}"],"further_traces":${further.count},`;
}

function valuesJson(text: string): string {
  const values = docValues(text);
  return typeof values === 'string' ? `"${values}"` : `["${values.join('","')}"]`;
}
