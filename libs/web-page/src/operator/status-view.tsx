import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { HealthStatus, StatusResponse } from '@antelope-history/schemas';
import { formatBytes, formatName, formatNumber, formatRate, formatSeconds, formatTime } from '../format.js';
import { catchUpOf } from './catch-up.js';
import { Plot } from './plot.js';
import { ProcessTable } from './process-table.js';

const REFRESH_MS = 4_000;
const LIMIT_MS = 10_000;

const HEADLINES: Record<HealthStatus, string> = {
  ok: 'Everything is running',
  catching_up: 'Catching up with the chain',
  degraded: 'Responding, but a component is unavailable',
  down: 'Queries cannot be answered',
};

/** Components of /health whose names need another form than `formatName` gives them. */
const NAMES: Record<string, string> = { key_value: 'Key-value store', ship: 'State history of the node' };

/** The state of the service for those who run it, refreshed every few seconds. */
export function StatusView(): JSX.Element {
  const { status, isStale } = useStatus();
  if (!status)
    return <h1 class={isStale ? 'headline down' : ''}>{isStale ? 'The service does not respond' : 'Loading …'}</h1>;
  const state = isStale ? 'down' : status.health.status;
  return (
    <>
      <div role="status">
        <h1 class={`headline ${state}`}>
          {isStale ? 'The service does not respond' : HEADLINES[status.health.status]}
        </h1>
      </div>
      <ChainCard status={status} />
      <SpeedCard samples={status.samples} />
      <ComponentsCard components={status.health.components} queues={status.totals.queue_messages} />
      <section class="card" aria-labelledby="processes">
        <h2 id="processes">Processes</h2>
        <ProcessTable
          processes={status.processes}
          at={status.at}
          canReport={status.health.components['key_value']?.status === 'ok'}
        />
      </section>
      <p class="soft">
        As of <time>{formatTime(status.at)}</time>
        {isStale && <strong class="down"> · no response since</strong>}
      </p>
    </>
  );
}

function useStatus(): { status: StatusResponse | undefined; isStale: boolean } {
  const [status, setStatus] = useState<StatusResponse>();
  const [isStale, setStale] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let left = false;
    const load = async (): Promise<void> => {
      const limit = new AbortController();
      const late = setTimeout(() => limit.abort(), LIMIT_MS);
      try {
        const response = await fetch('./status', { cache: 'no-store', signal: limit.signal });
        if (!response.ok) throw new Error(String(response.status));
        const read = (await response.json()) as StatusResponse;
        if (!left) setStatus(read);
        if (!left) setStale(false);
      } catch {
        if (!left) setStale(true);
      } finally {
        clearTimeout(late);
      }
      if (!left) timer = setTimeout(() => void load(), REFRESH_MS);
    };
    void load();
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, []);
  return { status, isStale };
}

function ChainCard({ status }: { status: StatusResponse }): JSX.Element {
  const { health, totals } = status;
  return (
    <section class="card" aria-labelledby="chain">
      <h2 id="chain">Chain</h2>
      <Progress status={status} />
      <dl class="figures">
        <Figure name="Head" value={formatNumber(health.head_block_num)} />
        <Figure name="Committed" value={formatNumber(health.committed_block_num)} />
        <Figure name="Last irreversible" value={formatNumber(health.last_irreversible_block_num)} />
        <Figure name="Blocks behind" value={formatNumber(health.lag_blocks)} />
        <Figure name="Age of the newest block" value={formatSeconds(health.committed_age_seconds)} />
        <Figure name="First block there is" value={formatNumber(health.first_block_num)} />
        <Figure name="Forks since the start" value={formatNumber(totals.forks)} />
        <Figure
          name="Nodes refused"
          value={formatNumber(totals.nodes_refused)}
          warns={(totals.nodes_refused ?? 0) > 0}
        />
        <Figure name="Dead letters" value={formatNumber(totals.dead_letters)} warns={(totals.dead_letters ?? 0) > 0} />
        <Figure name="Free disk of the store" value={formatBytes(totals.store_free_bytes)} />
      </dl>
      <p class="soft">
        Chain id <code>{health.chain_id ?? 'not known yet'}</code>
      </p>
      {health.state_complete === false && (
        <p class="degraded">
          Permissions and ABIs from before block {formatNumber(health.first_block_num)} are missing: accounts of keys
          are not served.
        </p>
      )}
      <Ranges ranges={health.incomplete_ranges} />
      <DataFields fields={health.data_fields} />
    </section>
  );
}

function SpeedCard({ samples }: Pick<StatusResponse, 'samples'>): JSX.Element {
  const now = samples.at(-1);
  return (
    <section class="card" aria-labelledby="speed">
      <h2 id="speed">The last hour</h2>
      <div class="plots">
        <Plot
          name={`Blocks per second: ${formatRate(now?.blocks_per_second)} now`}
          points={samples.map(({ at, blocks_per_second: value }) => ({ at, value }))}
        />
        <Plot
          name={`Actions per second: ${formatRate(now?.actions_per_second)} now`}
          points={samples.map(({ at, actions_per_second: value }) => ({ at, value }))}
        />
      </div>
    </section>
  );
}

interface ComponentsProps {
  components: StatusResponse['health']['components'];
  queues: StatusResponse['totals']['queue_messages'];
}

function ComponentsCard({ components, queues }: ComponentsProps): JSX.Element {
  return (
    <section class="card" aria-labelledby="components">
      <h2 id="components">Components</h2>
      <ul class="components">
        {Object.entries(components).map(([name, component]) => (
          <li key={name} class={component.status}>
            <span class="component">{NAMES[name] ?? formatName(name)}</span>
            <span class="work">{describeWork(component)}</span>
            <span class="state">{component.status.replace('_', ' ')}</span>
          </li>
        ))}
      </ul>
      {queues && (
        <dl class="figures">
          {Object.entries(queues).map(([queue, count]) => (
            <Figure key={queue} name={`Queue ${queue}`} value={formatNumber(count)} />
          ))}
        </dl>
      )}
    </section>
  );
}

function Figure({ name, value, warns = false }: { name: string; value: string; warns?: boolean }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={warns ? 'degraded' : undefined}>{value}</dd>
    </div>
  );
}

/** How much of the blocks from the first one that there is to the head is committed, and when the rest will be. */
function Progress({ status }: { status: StatusResponse }): JSX.Element {
  const { percent, secondsLeft } = catchUpOf(status);
  if (percent === undefined) return <p class="soft">No block is committed yet.</p>;
  return (
    <div class="progress">
      <p class="soft">
        {percent} % is committed
        {secondsLeft !== undefined && `, the rest in about ${formatSeconds(secondsLeft)}`}
      </p>
      <progress max={100} value={percent} aria-label="Share of the blocks that is committed" />
    </div>
  );
}

/** A list from outside has any length. */
const SHOWN_RANGES = 20;

function Ranges({ ranges }: { ranges: StatusResponse['health']['incomplete_ranges'] }): JSX.Element | null {
  if (ranges.length === 0) return null;
  const shown = ranges
    .slice(0, SHOWN_RANGES)
    .map(({ first_block_num: first, last_block_num: last }) => `${formatNumber(first)} – ${formatNumber(last)}`);
  const rest = ranges.length > SHOWN_RANGES ? ` and ${ranges.length - SHOWN_RANGES} more` : '';
  return <p class="degraded">{`Incomplete ranges: ${shown.join(', ')}${rest}`}</p>;
}

function DataFields({ fields }: { fields: Record<string, number> }): JSX.Element | null {
  const shown = Object.entries(fields).map(([field, from]) => `${field} from block ${formatNumber(from)}`);
  return shown.length === 0 ? null : <p class="soft">Indexed fields of action data: {shown.join(', ')}</p>;
}

type Component = StatusResponse['health']['components'][string];

function describeWork({ count, reason, ...speed }: Component): string {
  const facts: string[] = [];
  if (reason !== undefined) facts.push(reason);
  if (count !== undefined) facts.push(`${formatNumber(count)} running`);
  if (speed.blocks_per_second !== undefined) facts.push(`${formatRate(speed.blocks_per_second)} blocks/s`);
  if (speed.requests_per_second !== undefined) facts.push(`${formatRate(speed.requests_per_second)} requests/s`);
  return facts.join(' · ');
}
