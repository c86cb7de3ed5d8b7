import { stringify } from 'csv-stringify/sync';
import type { ActionRow, ExportedRow } from './exported-rows';

export const EXPORT_FORMATS = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The columns of csv. None begins with a character that spreadsheets take for a formula, whatever a contract wrote. */
const COLUMNS: [string, (row: ActionRow, data: string) => string | number][] = [
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
  ['data', (_row, data) => data],
];

export function headerOf(format: ExportFormat): string {
  return format === 'csv' ? stringify([COLUMNS.map(([name]) => name)]) : '';
}

export function formatRows(format: ExportFormat, rows: ExportedRow[]): string {
  if (format === 'csv') return stringify(rows.map(({ row, data }) => COLUMNS.map(([, valueOf]) => valueOf(row, data))));
  return rows.map(({ text }) => `${text}\n`).join('');
}
