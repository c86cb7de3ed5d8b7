import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DEPLOYED_APPS, readJson, readText, readVersion, WORKSPACE_ROOT } from '../../src';

interface LockedPackage {
  version?: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  dev?: boolean;
  hasInstallScript?: boolean;
}

interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

interface Component {
  name: string;
  group?: string;
  version: string;
  purl: string;
  hashes?: { alg: string; content: string }[];
}

const { packages } = readJson('package-lock.json') as { packages: Record<string, LockedPackage> };
/** The packages that come from a registry. */
const fetched = Object.entries(packages).filter(([location, { link }]) => location.includes('node_modules/') && !link);

describe('package-lock.json', () => {
  it('has the hash of every package', () => {
    expect(fetched.length).toBeGreaterThan(500);
    expect(fetched.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))).toEqual([]);
  });

  it('names no registry: npm uses the configured one', () => {
    expect(fetched.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
    const links = Object.values(packages).filter(({ link }) => link);
    expect(links.filter(({ resolved }) => !/^(apps|libs|tools)\/[\w-]+$/.test(resolved ?? ''))).toEqual([]);
  });
});

describe('package.json of every project', () => {
  const folders = ['apps', 'libs', 'tools']
    .flatMap((group) => readdirSync(path.join(WORKSPACE_ROOT, group)).map((name) => `${group}/${name}`))
    .filter((folder) => existsSync(path.join(WORKSPACE_ROOT, folder, 'package.json')));

  // Otherwise npm ci rejects the lock file.
  it.each(['.', ...folders])('%s has the dependencies of the lock file', (folder) => {
    const manifest = readJson(path.join(folder, 'package.json')) as Manifest;
    const locked = packages[folder === '.' ? '' : folder] as Manifest | undefined;
    expect([locked?.dependencies, locked?.devDependencies]).toEqual([manifest.dependencies, manifest.devDependencies]);
  });
});

describe('install scripts', () => {
  it('are disabled', () => {
    expect(readText('.npmrc').split('\n')).toContain('ignore-scripts=true');
    const installs = [...readText('deploy/docker/Dockerfile').matchAll(/npm ci[^\n]*/g)].map(([command]) => command);
    expect(installs).toEqual(['npm ci --ignore-scripts']);
  });

  it('of production dependencies are known and not needed', () => {
    const named = fetched.filter(([, { hasInstallScript, dev }]) => hasInstallScript && !dev);
    // lmdb's binaries are separate packages, msgpackr works without its native addon, scarf counts downloads.
    expect(named.map(([location]) => location.replace(/^node_modules\//, '')).sort()).toEqual([
      '@scarf/scarf',
      'lmdb',
      'msgpackr-extract',
    ]);
  });
});

describe('npm run sbom', () => {
  let folder: string;
  let components: Component[];
  let sbom: { bomFormat: string; metadata: { component: Component }; components: Component[] };

  beforeAll(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'antelope-history-sbom-'));
    const file = path.join(folder, 'sbom.cdx.json');
    const script = path.join(WORKSPACE_ROOT, 'tools/run/release-sbom.mjs');
    const { status, stderr } = spawnSync(process.execPath, [script, file], { encoding: 'utf8' });
    expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
    sbom = JSON.parse(readFileSync(file, 'utf8')) as typeof sbom;
    components = sbom.components;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const isOurs = ({ purl }: Component): boolean => purl.startsWith('pkg:npm/%40antelope-history/');

  it('lists the apps of a release', () => {
    expect(sbom.bomFormat).toBe('CycloneDX');
    expect(sbom.metadata.component).toMatchObject({ name: 'antelope-history', version: readVersion() });
    const apps = components.filter(isOurs).map(({ purl }) => purl);
    for (const { name } of DEPLOYED_APPS)
      expect(apps).toContain(`pkg:npm/%40antelope-history/${name}@${readVersion()}`);
  });

  it('has each third-party production package with its hash, and no development dependency', () => {
    const others = components.filter((component) => !isOurs(component));
    expect(others.length).toBeGreaterThan(80);
    const locked = new Set(
      fetched.map(([, { integrity = '' }]) => Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex')),
    );
    for (const { name, hashes = [] } of others) {
      expect([name, hashes.map(({ content }) => locked.has(content))]).toEqual([name, [true]]);
    }
    const names = components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['express', 'lmdb', 'amqplib', 'redis', 'zod']));
    for (const name of ['jest', 'eslint', 'typescript', 'nx']) expect(names).not.toContain(name);
  });
});
