import { readMeasuredFile } from '../measured-file';
import { embeddedCosts, requestRates, suiteCosts } from './costs';
import { renderSizing } from './render-sizing';
import type { CommandLine } from './sizing-options';

/** Reads the measured files and renders the section as Markdown. Throws `MeasuredFileError` when a file is not usable. */
export function computeSection({ files, sizing }: Pick<CommandLine, 'files' | 'sizing'>): string {
  const suite = suiteCosts(readMeasuredFile(files.suite, 'suite', `--suite ${files.suite}`));
  const embedded = embeddedCosts(readMeasuredFile(files.embedded, 'indexing', `--embedded ${files.embedded}`));
  const requests = requestRates(readMeasuredFile(files.queries, 'queries', `--queries ${files.queries}`));
  return renderSizing({ embedded, suite, requests }, sizing(tracesPerActionOf(suite.chain)));
}

/** Traces per action besides `onblock`, which has one trace in each block. */
function tracesPerActionOf({ traces, blocks, actions }: { traces: number; blocks: number; actions: number }): number {
  return Math.max(1, (traces - blocks) / actions);
}
