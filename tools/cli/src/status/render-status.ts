import { withoutControls } from '@antelope-history/quick-start/progress';
import type { ProcessStatus, StatusResponse } from '@antelope-history/schemas';

const NAME_WIDTH = 20;

/** The status as lines for a terminal. */
export function renderStatus({ at, health, totals, processes, samples }: StatusResponse): string {
  const speed = samples.at(-1);
  const fields: [string, string][] = [
    ['State', health.status.replace('_', ' ')],
    ['Chain', health.chain_id ?? 'not known yet'],
    ['Head', number(health.head_block_num)],
    ['Committed', `${number(health.committed_block_num)}, ${number(health.lag_blocks)} behind`],
    ['Irreversible', number(health.last_irreversible_block_num)],
    ['First block', number(health.first_block_num)],
    ['Age of the data', health.committed_age_seconds === null ? '-' : `${number(health.committed_age_seconds)} s`],
    [
      'Speed',
      speed ? `${number(speed.blocks_per_second)} blocks/s, ${number(speed.actions_per_second)} actions/s` : '-',
    ],
    [
      'Queues',
      Object.entries(totals.queue_messages ?? {})
        .map(([queue, count]) => `${queue} ${number(count)}`)
        .join(', ') || '-',
    ],
    ['Forks', number(totals.forks)],
    ['Dead letters', number(totals.dead_letters)],
    ['Nodes refused', number(totals.nodes_refused)],
    ['Free disk', bytes(totals.store_free_bytes)],
  ];
  const broken = Object.entries(health.components).filter(([, { status }]) => status !== 'ok');
  for (const [name, { status, reason }] of broken) {
    fields.push([name.replaceAll('_', '-'), reason === undefined ? status : `${status} (${reason})`]);
  }
  const lines = fields.map(([name, value]) => `${name.padEnd(NAME_WIDTH)}${withoutControls(value)}`);
  return `${[...lines, '', ...processes.map((process) => describe(process, at))].join('\n')}\n`;
}

function describe(process: ProcessStatus, at: number): string {
  const { kind, pid, host, status, memory_bytes: memory, version, last_error: error } = process;
  const facts = [
    status.replace('_', ' '),
    bytes(memory),
    `version ${version}`,
    ...(host === undefined ? [] : [`${host} ${pid}`]),
  ];
  if (process.last_progress_at !== undefined) {
    facts.push(`last progress ${number((at - process.last_progress_at) / 1000)} s ago`);
  }
  if (error) facts.push(`last error ${number((at - error.at) / 1000)} s ago: ${error.message} (${error.code ?? '-'})`);
  return `${kind.padEnd(NAME_WIDTH)}${withoutControls(facts.join(', '))}`;
}

function number(value: number | null | undefined): string {
  return value === null || value === undefined ? '-' : Math.round(value).toLocaleString('en');
}

const MIB = 1024 * 1024;

function bytes(value: number | undefined): string {
  return value === undefined ? '-' : `${number(value / MIB)} MiB`;
}
