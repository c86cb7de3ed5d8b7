import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseAllDocuments } from 'yaml';
import { WORKSPACE_ROOT } from '../projects';
import type { Manifest } from './kubernetes-schema';

const FOLDER = path.join(WORKSPACE_ROOT, 'tools/workspace-rules/helm');
export const CHART = path.join(WORKSPACE_ROOT, 'deploy/helm/antelope-history');
const ARCHITECTURES: Partial<Record<string, string>> = { x64: 'amd64' };

/** Helm's own library in a process of its own. It needs the programs `java` and `mvn`; `open` fetches it. */
export class Helm {
  private readonly answers: AsyncIterator<[string]>;

  private constructor(
    private readonly folder: string,
    private readonly child: ChildProcessWithoutNullStreams,
  ) {
    const lines = createInterface({ input: child.stdout });
    this.answers = on(lines, 'line', { close: ['close'] }) as AsyncIterator<[string]>;
  }

  static open(): Helm {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'antelope-history-helm-'));
    const list = path.join(folder, 'class-path');
    const platform = `${process.platform}-${ARCHITECTURES[process.arch] ?? process.arch}`;
    const args = ['-q', '-B', '-f', path.join(FOLDER, 'pom.xml'), `-Dhelm.platform=${platform}`];
    execFileSync('mvn', [...args, 'dependency:build-classpath', `-Dmdep.outputFile=${list}`], { encoding: 'utf8' });
    const program = path.join(FOLDER, 'HelmCommand.java');
    return new Helm(folder, spawn('java', ['-cp', readFileSync(list, 'utf8'), program]));
  }

  async close(): Promise<void> {
    const ended = once(this.child, 'close');
    this.child.stdin.end();
    await ended;
    rmSync(this.folder, { recursive: true });
  }

  /** The messages of `helm lint --strict`. Rejects with them when it fails. */
  lint(chart = CHART): Promise<string> {
    return this.run('lint', chart);
  }

  /** The manifests of a release with these values. Rejects with Helm's message when it refuses them. */
  async template(release: string, values: object, chart = CHART): Promise<Manifest[]> {
    const file = path.join(this.folder, 'values.json');
    writeFileSync(file, JSON.stringify(values));
    const text = await this.run('template', chart, release, file);
    return parseAllDocuments(text).flatMap((document) => (document.toJS() as Manifest | null) ?? []);
  }

  /** Sends one command and waits for its response; the process takes one command at a time. */
  private async run(...command: string[]): Promise<string> {
    this.child.stdin.write(`${command.join('\t')}\n`);
    const answer = await this.answers.next();
    if (answer.done === true) throw new Error(`Helm ended: ${String(this.child.stderr.read())}`);
    const [line] = answer.value;
    const [outcome, encoded = ''] = line.split(' ');
    const text = Buffer.from(encoded, 'base64').toString('utf8');
    if (outcome !== 'ok') throw new Error(text);
    return text;
  }
}
