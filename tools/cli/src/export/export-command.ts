import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { ProgressMeter } from '@antelope-history/quick-start/progress';
import { HistoryError } from '@antelope-history/schemas';
import { requireText, requireUrl } from '../option-values';
import type { CommandHost } from '../program';
import { ActionPages, type ExportedRange } from './action-pages';
import { type ExportFormat, EXPORT_FORMATS, formatRows, headerOf } from './export-format';
import { ExportFile, type ExportSink, type ExportState, findUnfinished, StandardOutput } from './export-file';

interface ExportOptions {
  account: string;
  format: ExportFormat;
  from: string | undefined;
  to: string | undefined;
  filter: string | undefined;
  out: string | undefined;
  url: string;
  apiKeyFile: string | undefined;
  force: boolean;
  json: boolean;
}

const NOTES = `
The actions come oldest first, up to the last irreversible block (or --to, if that is before it), so that no fork can change them.
With --out, an export that was interrupted continues where it stopped when the same command is run again.

csv has one line per action: global_action_seq, account_action_seq, block_num, block_time, trx_id, contract, action, receiver,
authorization and data (JSON). ndjson has the rows of get_actions, one per line.

Exit status: 0 complete, 1 interrupted by Ctrl-C, 2 it could not go on.`;

/** Interrupted before its end. */
const INTERRUPTED = 1;

export function addExport(program: Command, host: CommandHost, setStatus: (status: number) => void): void {
  program
    .command('export')
    .description('write all actions of an account to a file')
    .requiredOption('--account <name>', 'the account')
    .addOption(new Option('--format <format>', 'form of the output').choices(EXPORT_FORMATS).default('ndjson'))
    .option('--from <bound>', 'first block number, or date (UTC unless it has a zone)', requireText)
    .option('--to <bound>', 'last block number, or date', requireText)
    .option('--filter <filter>', 'only these actions: CODE:NAME, CODE:* or *:NAME, several with commas', requireText)
    .option('--out <file>', 'the file; standard output if absent', requireText)
    .option('--url <url>', 'address of the gateway', requireUrl, 'http://127.0.0.1:8888')
    .option('--api-key-file <file>', 'file with the API key that the operator gave you')
    .option('--force', 'replace an existing file', false)
    .option('--json', 'print a JSON object with the counts at the end, to standard error', false)
    .addHelpText('after', NOTES)
    .action(async (options: ExportOptions) => setStatus(await exportActions(options, host)));
}

/** Resolves with the exit status. Rejects with `CONFIG_INVALID` on wrong options, and as `ActionPages`. */
async function exportActions(options: ExportOptions, host: CommandHost): Promise<number> {
  host.onInterrupt();
  const { account, format, from, to, filter, out, url } = options;
  const pages = new ActionPages({ url, apiKey: await readApiKey(options), account, filter, ...host });
  const request = { account, format, from, to, filter };
  const saved = out === undefined ? undefined : await findUnfinished(out, request, options);
  const range = saved?.range ?? (await findRange(pages, options, host));
  if (!range) return INTERRUPTED;
  const sink: ExportSink =
    out === undefined ? new StandardOutput(host.output) : await ExportFile.open(out, request, saved);
  let state: ExportState = { range, last: saved?.last, rows: saved?.rows ?? 0 };
  const progress = new ExportProgress(host, state);
  try {
    if (!saved) await sink.write(headerOf(format), state);
    for await (const page of pages.read(range, state.last)) {
      state = { range, last: page.last, rows: state.rows + page.rows.length };
      await sink.write(formatRows(format, page.rows), state);
      progress.show(state);
    }
  } catch (error) {
    await sink.interrupt();
    if (!host.signal.aborted) throw error;
    const next = out === undefined ? '' : ': the same command continues';
    host.progress.print(`Interrupted after ${count(state.rows)} actions${next}.`);
    return INTERRUPTED;
  }
  await sink.finish();
  host.progress.close();
  reportResult(state, options, host);
  return 0;
}

/** Undefined when it was interrupted. */
async function findRange(
  pages: ActionPages,
  options: ExportOptions,
  host: CommandHost,
): Promise<ExportedRange | undefined> {
  try {
    return await pages.findRange(options);
  } catch (error) {
    if (!host.signal.aborted) throw error;
    host.progress.print('Interrupted after 0 actions.');
    return undefined;
  }
}

function reportResult({ range, rows }: ExportState, { account, out, json }: ExportOptions, host: CommandHost): void {
  const { lastBlock, irreversible } = range;
  if (json) {
    const summary = { account, actions: rows, last_block_num: lastBlock, last_irreversible_block: irreversible };
    host.errors.write(`${JSON.stringify(summary)}\n`);
  } else if (out !== undefined) {
    host.progress.print(`${out} has ${count(rows)} actions of ${account}, up to block ${count(lastBlock)}.`, 'good');
  }
}

function count(value: number): string {
  return value.toLocaleString('en');
}

async function readApiKey({ apiKeyFile: file }: ExportOptions): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    const key = (await readFile(file, 'utf8')).trim();
    if (HEADER_VALUE.test(key)) return key;
    throw new HistoryError('CONFIG_INVALID', `--api-key-file: ${file} has to hold one line of ASCII characters`);
  } catch (cause) {
    if (cause instanceof HistoryError) throw cause;
    throw new HistoryError('CONFIG_INVALID', `--api-key-file: ${file} cannot be read`, { cause });
  }
}

/** What a key can be: it is sent as a header. */
const HEADER_VALUE = /^[\x21-\x7e]+$/;

/** Shows how far the blocks of the range are exported, at most four times a second. */
class ExportProgress {
  private readonly meter = new ProgressMeter();
  private shownAt = 0;

  constructor(
    private readonly host: CommandHost,
    private readonly start: ExportState,
  ) {}

  show({ range, last, rows }: ExportState): void {
    const atMs = Date.now();
    if (last === undefined || atMs - this.shownAt < SHOWN_EVERY_MS) return;
    this.shownAt = atMs;
    const { firstBlock, lastBlock: target } = range;
    const block = last.blockNum;
    const sample = { atMs, block, blocks: block - firstBlock, actions: rows - this.start.rows };
    this.host.progress.show(this.meter.measure(sample, { firstBlock, target }));
  }
}

const SHOWN_EVERY_MS = 250;
