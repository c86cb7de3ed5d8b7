import { tmpdir } from 'node:os';
import path from 'node:path';
import { type SeedsOptions, type SeedsSummary, simulateSeeds } from './simulate-seeds';

/** Plays seeds. `failed`: what is said of each seed with violations, with the folder that keeps what it found. */
export async function playSeeds(
  options: Pick<SeedsOptions, 'seeds' | 'set' | 'size' | 'parallel'>,
): Promise<{ summary: SeedsSummary; failed: string[] }> {
  const lines: string[] = [];
  const summary = await simulateSeeds({
    ...options,
    keepIn: path.join(tmpdir(), 'antelope-history-simulate'),
    report: (line) => void lines.push(line),
  });
  return { summary, failed: lines.filter((line) => line.includes('violations')) };
}
