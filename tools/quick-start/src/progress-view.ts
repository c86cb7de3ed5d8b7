import { MultiBar, Presets, type SingleBar } from 'cli-progress';
import type { Progress } from './progress-meter';

/** Output for a person: a progress bar on a terminal, lines elsewhere. */
export interface ProgressView {
  show(progress: Progress): void;
  /** Prints a line that the progress does not overwrite. */
  print(line: string): void;
  close(): void;
}

export function createProgressView(output: NodeJS.WriteStream): ProgressView {
  return output.isTTY ? new BarView(output) : new LineView(output);
}

class BarView implements ProgressView {
  private readonly bars: MultiBar;
  private bar: SingleBar | undefined;

  constructor(private readonly output: NodeJS.WriteStream) {
    this.bars = new MultiBar(
      { stream: output, format: '{bar} {text}', barsize: 24, clearOnComplete: true, autopadding: false },
      Presets.shades_classic,
    );
  }

  show(progress: Progress): void {
    const { block, target = Math.max(1, block) } = progress;
    this.bar ??= this.bars.create(target, 0, { text: '' });
    this.bar.setTotal(target);
    this.bar.update(Math.min(block, target), { text: describeProgress(progress) });
  }

  print(line: string): void {
    if (this.bar) this.bars.log(`${line}\n`);
    else this.output.write(`${line}\n`);
  }

  close(): void {
    this.bars.stop();
    this.bar = undefined;
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
    this.output.write(`${line}\n`);
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
