import type { JSX } from 'preact';
import type { ProcessStatus } from '@antelope-history/schemas';
import { formatBytes, formatName, formatRate, formatSeconds, NONE } from '../format.js';

/** A gateway of several chains reads the reports of each in its key-value store. */
const NONE_REPORTS = 'No process reports to this gateway. A chain that runs as one process has a page of its own.';
const NONE_CAN_REPORT = 'No process reports itself: the key-value store is unavailable.';

interface ProcessTableProps {
  processes: ProcessStatus[];
  /** The time of the figures, in milliseconds since 1970, by the clock of the service. */
  at: number;
  /** Whether the store responds to which the processes report. */
  canReport: boolean;
}

export function ProcessTable({ processes, at, canReport }: ProcessTableProps): JSX.Element {
  if (processes.length === 0) return <p class="soft">{canReport ? NONE_REPORTS : NONE_CAN_REPORT}</p>;
  const ago = (time: number): string => `${formatSeconds(Math.max(0, at - time) / 1000)} ago`;
  return (
    <div class="scroll" role="region" aria-label="Table of processes" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Process</th>
            <th scope="col">State</th>
            <th scope="col">Running for</th>
            <th scope="col">Memory</th>
            <th scope="col">Work</th>
            <th scope="col">Last progress</th>
            <th scope="col">Version</th>
            <th scope="col">Last error</th>
          </tr>
        </thead>
        <tbody>
          {processes.map((process) => (
            <tr key={`${process.kind} ${process.host} ${process.pid} ${process.since}`}>
              <th scope="row">
                {formatName(process.kind)}
                {process.host !== undefined && (
                  <span class="soft where">
                    {process.host}, {process.pid}
                  </span>
                )}
              </th>
              <td class={process.status}>
                <span class="state">{process.status.replace('_', ' ')}</span>
              </td>
              <td>{formatSeconds((at - Date.parse(process.since)) / 1000)}</td>
              <td>{formatBytes(process.memory_bytes)}</td>
              <td>{describeWork(process)}</td>
              <td>{process.last_progress_at === undefined ? NONE : ago(process.last_progress_at)}</td>
              <td>{process.version}</td>
              <td>{process.last_error ? <LastError error={process.last_error} ago={ago} /> : 'none'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function describeWork({ blocks_per_second: blocks, requests_per_second: requests }: ProcessStatus): string {
  if (blocks !== undefined) return `${formatRate(blocks)} blocks/s`;
  return requests === undefined ? NONE : `${formatRate(requests)} requests/s`;
}

interface LastErrorProps {
  error: NonNullable<ProcessStatus['last_error']>;
  ago: (time: number) => string;
}

function LastError({ error: { at, code, message }, ago }: LastErrorProps): JSX.Element {
  return (
    <>
      {message}
      {code !== undefined && ` (${code})`}
      <span class="soft where">{ago(at)}</span>
    </>
  );
}
