import { readFileSync } from 'node:fs';
import { StartError } from '@antelope-history/processes';
import { type BenchmarkName, commandOf } from './benchmark-file';

/** A file that cannot be used, and what to do about it. */
export class MeasuredFileError extends StartError {}

/** A file that a benchmark wrote. Its figures are read by path and checked one by one, because the file comes from outside. */
export class MeasuredFile {
  private readonly content: unknown;

  /** `text`: the contents of the file. Throws `MeasuredFileError` unless it is a file of the benchmark. */
  constructor(
    private readonly file: string,
    private readonly benchmark: BenchmarkName,
    text: string,
  ) {
    this.content = parse(text, file, this.again);
    const written = this.at(['benchmark']);
    if (written === benchmark) return;
    const name = typeof written === 'string' ? `of the benchmark ${written}` : 'not of a benchmark';
    throw new MeasuredFileError(`${file} is ${name}, but one of ${benchmark} is needed there. ${this.again}`);
  }

  /** A number of at least 0. */
  number(...keys: string[]): number {
    const value = this.at(keys);
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
    const name = keys.join('.');
    if (value === undefined || value === null) throw new MeasuredFileError(`${this.file} lacks ${name}. ${this.again}`);
    const shown = JSON.stringify(value).slice(0, MAX_SHOWN);
    throw new MeasuredFileError(
      `${name} in ${this.file} is ${shown}; it has to be a number of at least 0. ${this.again}`,
    );
  }

  /** A number above 0, by which others are divided. */
  positive(...keys: string[]): number {
    const value = this.number(...keys);
    if (value > 0) return value;
    throw new MeasuredFileError(`${keys.join('.')} in ${this.file} is 0; it has to be above 0. ${this.again}`);
  }

  text(...keys: string[]): string {
    const value = this.at(keys);
    if (typeof value === 'string') return value;
    throw new MeasuredFileError(`${this.file} lacks the text ${keys.join('.')}. ${this.again}`);
  }

  /** The keys of an object, or the indices of a list; there is at least one. */
  keys(...keys: string[]): string[] {
    const value = this.at(keys);
    const found = typeof value === 'object' && value !== null ? Object.keys(value) : [];
    if (found.length > 0) return found;
    throw new MeasuredFileError(`${this.file} has nothing in ${keys.join('.')}. ${this.again}`);
  }

  private at(keys: readonly string[]): unknown {
    return keys.reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, key)
          ? (value as Record<string, unknown>)[key]
          : undefined,
      this.content,
    );
  }

  private get again(): string {
    return `Write it with: ${commandOf(this.benchmark)}`;
  }
}

const MAX_SHOWN = 40;

/** Reads the file of a benchmark. `named`: how messages name it. Throws `MeasuredFileError`. */
export function readMeasuredFile(file: string, benchmark: BenchmarkName, named = file): MeasuredFile {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const problem = code === 'ENOENT' ? 'there is no such file' : `it can not be read (${code})`;
    throw new MeasuredFileError(`${named}: ${problem}. Write it with: ${commandOf(benchmark)}`, { cause: error });
  }
  return new MeasuredFile(file, benchmark, text);
}

function parse(text: string, file: string, again: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MeasuredFileError(`${file} is not JSON. ${again}`, { cause: error });
  }
}
