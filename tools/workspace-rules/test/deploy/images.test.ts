import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { listFiles, readText, WORKSPACE_ROOT } from '../../src';

const SCRIPT = path.join(WORKSPACE_ROOT, 'deploy/docker/pin-images.mjs');
const DIGEST = `sha256:${'ab'.repeat(32)}`;

/** Every image that a file of deploy/ names. */
const references = listFiles('deploy')
  .filter((file) => /(\.yaml|Dockerfile)$/.test(file) && !file.startsWith('deploy/secrets/'))
  .flatMap((file) =>
    readText(file)
      .split('\n')
      .flatMap((line) => {
        const [, image = ''] = /^\s*(?:image: |FROM (?=\S+[:/]))(\S+)/.exec(line) ?? [];
        return image === '' ? [] : [{ file, image }];
      }),
  );
const isOwn = (image: string): boolean => image.startsWith('antelope-history/');

describe('the images of deploy/', () => {
  it('are found', () => {
    expect(references.length).toBeGreaterThan(20);
  });

  it('of third parties have an exact version, with or without a digest', () => {
    for (const { file, image } of references.filter(({ image }) => !isOwn(image))) {
      const reference = image.replace(/^\$\{\w+:-(.*)\}$/, '$1');
      expect([file, reference]).toEqual([
        file,
        expect.stringMatching(/^[\w./-]+:[\w.-]*\d+\.\d+\.\d+[\w.-]*(@sha256:[0-9a-f]{64})?$/),
      ]);
    }
  });

  describe('pin-images.mjs', () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(path.join(os.tmpdir(), 'antelope-history-images-'));
      cpSync(path.join(WORKSPACE_ROOT, 'deploy'), path.join(folder, 'deploy'), {
        recursive: true,
        filter: (file) => !file.endsWith('secrets'),
      });
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    /** Runs the script with a fake `docker` that prints the given output. */
    function run(output: string, ...args: string[]) {
      writeFileSync(path.join(folder, 'docker'), `#!/bin/sh\necho '${output}'\n`, { mode: 0o755 });
      const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
      return spawnSync(process.execPath, [SCRIPT, ...args, path.join(folder, 'deploy')], { env, encoding: 'utf8' });
    }
    const read = (file: string): string => readFileSync(path.join(folder, 'deploy', file), 'utf8');

    it('adds a digest to each third-party tag, and replaces it by a newer one', () => {
      expect(run(JSON.stringify({ digest: DIGEST })).status).toBe(0);
      expect(run('', '--check')).toMatchObject({ status: 0, stdout: '' });
      expect(read('docker/Dockerfile')).toMatch(new RegExp(`^FROM node:[\\w.-]+@${DIGEST} AS build$`, 'm'));
      expect(read('compose.yaml')).toMatch(new RegExp(`^    image: redis:[\\w.-]+@${DIGEST}$`, 'm'));
      expect(read('kubernetes/servers.yaml')).toMatch(new RegExp(`image: rabbitmq:[\\w.-]+@${DIGEST}$`, 'm'));
      expect(read('compose.yaml')).toMatch(/image: antelope-history\/gateway:[\d.]+$/m);

      const newer = DIGEST.replaceAll('ab', 'cd');
      run(JSON.stringify({ digest: newer }));
      expect(read('compose.yaml')).toContain(newer);
      expect(read('compose.yaml')).not.toContain(DIGEST);
    });

    it('lists images without a digest', () => {
      const compose = read('compose.yaml').replace(/redis:7[^\n]*/, 'redis:7.4.5-bookworm');
      writeFileSync(path.join(folder, 'deploy/compose.yaml'), compose);
      const { status, stdout } = run('', '--check');
      expect([status, stdout]).toEqual([
        1,
        expect.stringContaining('compose.yaml: redis:7.4.5-bookworm has no digest'),
      ]);
    });

    it('changes nothing when a registry returns no digest', () => {
      const before = read('compose.yaml');
      expect(run('{}')).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('the registry returned no digest'),
      });
      expect(read('compose.yaml')).toBe(before);
    });
  });
});
