import { stringify } from 'csv-stringify/sync';
import type { ActionRow } from './action-pages';

export const EXPORT_FORMATS = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The columns of csv. None begins with a character that spreadsheets take for a formula, whatever a contract wrote. */
const COLUMNS: [string, (row: ActionRow) => string | number][] = [
  ['global_action_seq', ({ global_action_seq: sequence }) => sequence],
  ['account_action_seq', ({ account_action_seq: sequence }) => sequence],
  ['block_num', ({ block_num: num }) => num],
  ['block_time', ({ block_time: time }) => time],
  ['trx_id', ({ action_trace: { trx_id: id } }) => id],
  ['contract', ({ action_trace: { act } }) => act.account],
  ['action', ({ action_trace: { act } }) => act.name],
  ['receiver', ({ action_trace: { receiver } }) => receiver],
  [
    'authorization',
    ({ action_trace: { act } }) => act.authorization.map(({ actor, permission }) => `${actor}@${permission}`).join(' '),
  ],
  ['data', ({ action_trace: { act } }) => JSON.stringify(act.data ?? act.hex_data)],
];

export function headerOf(format: ExportFormat): string {
  return format === 'csv' ? stringify([COLUMNS.map(([name]) => name)]) : '';
}

export function formatRows(format: ExportFormat, rows: ActionRow[]): string {
  if (format === 'csv') return stringify(rows.map((row) => COLUMNS.map(([, valueOf]) => valueOf(row))));
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
