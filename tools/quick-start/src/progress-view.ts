import { MultiBar, Presets, type SingleBar } from 'cli-progress';
import { createColors } from 'picocolors';
import type { Progress } from './progress-meter';
import { withoutControls } from './terminal-text';

/** How a line is coloured on a terminal that has colours. */
export type Tone = 'plain' | 'good' | 'warning' | 'error';

/** Output for a person: a progress bar on a terminal, lines elsewhere. */
export interface ProgressView {
  show(progress: Progress): void;
  /** Prints a line that the progress does not overwrite, without control characters. */
  print(line: string, tone?: Tone): void;
  /** Prints a name and its value, aligned with the others. */
  field(name: string, value: string): void;
  close(): void;
}

export function createProgressView(output: NodeJS.WriteStream): ProgressView {
  return output.isTTY ? new BarView(output) : new LineView(output);
}

const COLORS = { good: 'green', warning: 'yellow', error: 'red' } as const;
/** Width of the names of fields. */
const NAME_WIDTH = 9;
const BAR_WIDTH = 24;
/** Assumed where the terminal does not tell its own. */
const DEFAULT_COLUMNS = 80;

class BarView implements ProgressView {
  private readonly bars: MultiBar;
  private bar: SingleBar | undefined;
  private readonly colors: ReturnType<typeof createColors>;

  constructor(private readonly output: NodeJS.WriteStream) {
    // False where NO_COLOR is set, too.
    this.colors = createColors(output.hasColors());
    this.bars = new MultiBar(
      {
        stream: output,
        format: '{bar} {text}',
        barsize: BAR_WIDTH,
        clearOnComplete: true,
        autopadding: false,
        // Otherwise the terminal cuts the lines that `print` writes while a bar is shown.
        linewrap: true,
      },
      Presets.shades_classic,
    );
  }

  show(progress: Progress): void {
    const { firstBlock, block, target = block } = progress;
    const total = Math.max(1, target - firstBlock + 1);
    this.bar ??= this.bars.create(total, 0, { text: '' });
    this.bar.setTotal(total);
    const done = Math.min(Math.max(0, block - firstBlock + 1), total);
    this.bar.update(done, { text: this.cut(describeProgress(progress)) });
  }

  print(line: string, tone: Tone = 'plain'): void {
    const shown = withoutControls(line);
    this.write(tone === 'plain' ? shown : this.colors[COLORS[tone]](shown));
  }

  field(name: string, value: string): void {
    this.write(`${this.colors.bold(name.padEnd(NAME_WIDTH))}${withoutControls(value)}`);
  }

  close(): void {
    // The library drops the lines that it has not yet written.
    if (this.bar) this.bars.update();
    this.bars.stop();
    this.bar = undefined;
  }

  private write(line: string): void {
    if (this.bar) this.bars.log(`${line}\n`);
    else this.output.write(`${line}\n`);
  }

  /** To what fits beside the bar: the next frame overwrites one line only. */
  private cut(text: string): string {
    return text.slice(0, Math.max(0, (this.output.columns || DEFAULT_COLUMNS) - BAR_WIDTH - 2));
  }
}

/** Least time between two lines; a line that did not change is not repeated. */
const LINE_EVERY_MS = 3_000;

class LineView implements ProgressView {
  private lastAtMs = 0;
  private lastLine = '';

  constructor(private readonly output: NodeJS.WritableStream) {}

  show(progress: Progress): void {
    const line = describeProgress(progress);
    if (line === this.lastLine || Date.now() - this.lastAtMs < LINE_EVERY_MS) return;
    this.lastAtMs = Date.now();
    this.lastLine = line;
    this.print(line);
  }

  print(line: string): void {
    this.output.write(`${withoutControls(line)}\n`);
  }

  field(name: string, value: string): void {
    this.print(`${name.padEnd(NAME_WIDTH)}${value}`);
  }

  close(): void {
    this.lastLine = '';
  }
}

export function describeProgress({ block, target, blocksPerSecond, actionsPerSecond, secondsLeft }: Progress): string {
  const parts = [target === undefined ? `block ${count(block)}` : `block ${count(block)} of ${count(target)}`];
  if (blocksPerSecond > 0) parts.push(`${count(blocksPerSecond)} blocks/s`, `${count(actionsPerSecond)} actions/s`);
  if (secondsLeft !== undefined && secondsLeft >= 1) parts.push(`${describeSeconds(secondsLeft)} left`);
  return parts.join(', ');
}

function count(value: number): string {
  return (value < 10 ? Number(value.toFixed(1)) : Math.round(value)).toLocaleString('en');
}

function describeSeconds(seconds: number): string {
  if (seconds < 120) return `${Math.ceil(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}
