import { NoResponseError, type Replay, ServiceClient, type ServiceFigures } from '@antelope-history/processes';
import { type Example, findExamples, toCurl } from './examples';
import { ProgressMeter } from './progress-meter';
import type { ProgressView } from './progress-view';

/** The examples are shown after this time at the latest, also when the chain is not yet indexed to its end. */
const EXAMPLES_AFTER_MS = 30_000;
const EXAMPLES_EVERY_MS = 5_000;
/**
 * The first actions of a chain give no example for some endpoints. After this time, those that are found are shown: an endpoint may
 * have nothing to show on this chain, or refuse requests without an API key.
 */
const ALL_EXAMPLES_WITHIN_MS = 10_000;
/** How often the progress is shown after the examples: to read the figures takes the service processor time. */
const SHOWN_EVERY_MS = 1_000;

export interface ReportedService {
  /** URL of the gateway. */
  url: string;
  /** URL of its operations listener. */
  operationsUrl: string;
  /** The recording that it reads; undefined when it reads a node. */
  replay: Replay | undefined;
  /** Completes the line that begins with "Ctrl-C". */
  onStop: string;
}

/** Shows the progress of a service on its source and, once, examples of requests: at its end or after EXAMPLES_AFTER_MS. */
export class ProgressReport {
  private readonly meter = new ProgressMeter();
  private readonly client: ServiceClient;
  private readonly startedAtMs = Date.now();
  private firstTriedAtMs: number | undefined;
  private triedAtMs = 0;
  private shownAtMs = 0;
  private isReady = false;

  constructor(
    private readonly view: ProgressView,
    private readonly service: ReportedService,
  ) {
    this.client = new ServiceClient(service);
  }

  /** Whether figures are to be read and shown: of a recording that is indexed, none change any more. */
  get isDue(): boolean {
    if (!this.isReady) return true;
    return this.service.replay === undefined && Date.now() - this.shownAtMs >= SHOWN_EVERY_MS;
  }

  async show(figures: ServiceFigures): Promise<void> {
    this.shownAtMs = Date.now();
    const { health, committedBlock: block, indexedBlocks: blocks, indexedActions: actions } = figures;
    const { replay } = this.service;
    const target = replay?.lastBlockNum ?? health.head_block_num ?? undefined;
    const firstBlock = health.first_block_num ?? 1;
    const progress = this.meter.measure({ atMs: Date.now(), block, blocks, actions }, { firstBlock, target });
    if (block > 0) this.view.show(progress);
    if (!this.isReady) await this.showExamplesWhenDue(figures);
  }

  private async showExamplesWhenDue(figures: ServiceFigures): Promise<void> {
    const now = Date.now();
    if (!isCaughtUp(figures, this.service.replay) && now - this.startedAtMs <= EXAMPLES_AFTER_MS) return;
    if (now - this.triedAtMs < EXAMPLES_EVERY_MS) return;
    this.triedAtMs = now;
    this.firstTriedAtMs ??= now;
    const lines = await this.exampleLines({ areSomeEnough: now - this.firstTriedAtMs >= ALL_EXAMPLES_WITHIN_MS });
    if (!lines) return;
    this.isReady = true;
    this.view.close();
    const seconds = ((now - this.startedAtMs) / 1000).toFixed(1);
    const invitation = lines.requests.length > 0 ? ' Try it:' : '';
    this.view.print('');
    this.view.print(`Ready after ${seconds} s. ${describeIndexed(figures)}.${invitation}`, 'good');
    for (const line of ['', ...lines.requests, ...lines.reasons, '']) this.view.print(line);
    const { url, operationsUrl, onStop } = this.service;
    // The operations listener serves all pages, the gateway those of `gateway.public_paths`.
    this.view.field('Docs', `${(await this.client.servesPage('/docs')) ? url : operationsUrl}/docs`);
    this.view.field('Page', `${operationsUrl}/`);
    this.view.field('Metrics', `${operationsUrl}/metrics`);
    this.view.field('Ctrl-C', onStop);
  }

  /**
   * The requests as lines for a shell, and why the other endpoints have none. Undefined while the service does not respond, and, unless
   * `areSomeEnough`, while an endpoint has none.
   */
  private async exampleLines({ areSomeEnough }: { areSomeEnough: boolean }): Promise<ExampleLines | undefined> {
    try {
      const { examples, missing } = await findExamples(this.client);
      if (missing.length > 0 && !areSomeEnough) return undefined;
      const requests = examples.map((example) => toCurl(this.service.url, example));
      return { requests, reasons: await this.reasonsOf(missing) };
    } catch (error) {
      if (error instanceof NoResponseError) return undefined;
      throw error;
    }
  }

  /** A line for each reason, with the endpoints that give it. */
  private async reasonsOf(missing: readonly Example[]): Promise<string[]> {
    const byReason = new Map<string, string[]>();
    for (const { path, body } of missing) {
      const reason = (await this.client.refusalOf(path, body)) ?? 'this chain has nothing to show there';
      byReason.set(reason, [...(byReason.get(reason) ?? []), path]);
    }
    return [...byReason].map(([reason, paths]) => `No example of ${paths.join(', ')}: ${reason}`);
  }
}

interface ExampleLines {
  requests: string[];
  reasons: string[];
}

/** A fork's blocks are indexed, too, so that there can be more of them than the committed chain has. */
function describeIndexed({ committedBlock, indexedBlocks, indexedActions, forks }: ServiceFigures): string {
  const count = (value: number): string => value.toLocaleString('en');
  const ofForks = forks === 0 ? '' : ` (${count(forks)} forks replaced some of them)`;
  const run = `this run indexed ${count(indexedBlocks)} blocks${ofForks}, ${count(indexedActions)} actions`;
  return `Committed up to block ${count(committedBlock)}; ${run}`;
}

/** A recording has an end; for a node, /health says whether its head is reached. */
function isCaughtUp({ health, committedBlock }: ServiceFigures, replay: Replay | undefined): boolean {
  // What is stored may belong to another chain as long as no node was accepted.
  if (health.components['ship']?.status === 'down') return false;
  if (!replay) return health.status === 'ok';
  return replay.atEnd() && committedBlock >= replay.lastBlockNum;
}
