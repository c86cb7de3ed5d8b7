import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  DEPLOYED_APPS,
  listFiles,
  parseUnitFile,
  readText,
  WORKSPACE_ROOT,
  SUITE_APPS,
  type UnitFile,
  valuesOf,
} from '../../src';

const FOLDER = 'deploy/systemd';
const files = listFiles(FOLDER);
const units = new Map(files.map((file) => [path.basename(file), parseUnitFile(readText(file))]));
/** The apps that run once per machine. */
const SINGLE = ['reader', 'gateway'];

function unitNameOf(app: string): string {
  if (app === 'standalone') return 'antelope-history.service';
  return `antelope-history-${app}${SINGLE.includes(app) ? '' : '@'}.service`;
}

function unitOf(name: string): UnitFile {
  const unit = units.get(name);
  if (!unit) throw new Error(`no unit ${name}`);
  return unit;
}

/** The settings that differ between the services; all others, such as the hardening, are equal. */
const OWN_KEYS = new Set(['ExecStart', 'Environment', 'StateDirectory']);

/** From the manual of systemd 245: systemd.unit, systemd.service and systemd.exec. */
const SETTINGS: Record<string, string[]> = {
  Unit: ['Description', 'After', 'Wants', 'PartOf', 'StartLimitIntervalSec'],
  Service: [
    ...['Type', 'User', 'WorkingDirectory', 'StateDirectory', 'Environment', 'ExecStart'],
    ...['Restart', 'RestartSec', 'TimeoutStopSec', 'LimitNOFILE', 'UMask', 'NoNewPrivileges', 'CapabilityBoundingSet'],
    ...['PrivateDevices', 'PrivateTmp', 'ProtectClock', 'ProtectControlGroups', 'ProtectHome', 'ProtectHostname'],
    ...['ProtectKernelLogs', 'ProtectKernelModules', 'ProtectKernelTunables', 'ProtectSystem', 'LockPersonality'],
    ...['RestrictAddressFamilies', 'RestrictNamespaces', 'RestrictRealtime', 'RestrictSUIDSGID'],
    ...['SystemCallArchitectures', 'SystemCallFilter', 'SystemCallErrorNumber'],
  ],
  Install: ['WantedBy'],
};

describe('deploy/systemd', () => {
  it('has a unit for every app, and a target for each side', () => {
    const targets = ['antelope-history-api-side.target', 'antelope-history-indexing-side.target'];
    expect([...units.keys()].sort()).toEqual([...DEPLOYED_APPS.map(({ name }) => unitNameOf(name)), ...targets].sort());
  });

  it.each(DEPLOYED_APPS)('starts the built $name', ({ name }) => {
    const [command = ''] = valuesOf(unitOf(unitNameOf(name)), 'Service', 'ExecStart');
    expect(command).toBe(`/usr/bin/env node apps/${name}/dist/main.js --config /etc/antelope-history/config.json`);
    expect(existsSync(path.join(WORKSPACE_ROOT, 'apps', name, 'src/main.ts'))).toBe(true);
  });

  it.each(SUITE_APPS.filter(({ name }) => !SINGLE.includes(name)))(
    'sets the port of each instance of $name by its name',
    ({ name, portVariable }) => {
      expect(valuesOf(unitOf(unitNameOf(name)), 'Service', 'Environment')).toEqual([`${portVariable}=%i`]);
    },
  );

  it.each(['indexing', 'api'] as const)('starts and stops the %s side as a whole', (side) => {
    const target = `antelope-history-${side}-side.target`;
    const apps = SUITE_APPS.filter((app) => app.side === side);
    const wanted = apps.map(({ name, port }) => unitNameOf(name).replace('@', `@${port}`));
    expect(valuesOf(unitOf(target), 'Unit', 'Wants').sort()).toEqual(wanted.sort());
    for (const { name } of apps) {
      expect(valuesOf(unitOf(unitNameOf(name)), 'Unit', 'PartOf')).toEqual([target]);
      expect(valuesOf(unitOf(unitNameOf(name)), 'Install', 'WantedBy')).toEqual([target]);
    }
  });

  it('hardens all services equally and gives them time to stop', () => {
    const common = DEPLOYED_APPS.map(({ name }) =>
      (unitOf(unitNameOf(name)).get('Service') ?? []).filter(([key]) => !OWN_KEYS.has(key)),
    );
    expect(new Set(common.map((settings) => JSON.stringify(settings))).size).toBe(1);
    expect(common[0]).toEqual(
      expect.arrayContaining([
        ['User', 'antelope-history'],
        ['NoNewPrivileges', 'true'],
        ['ProtectSystem', 'strict'],
        ['CapabilityBoundingSet', ''],
        ['TimeoutStopSec', '15'],
      ]),
    );
  });

  it('uses only settings of systemd 245 (Ubuntu 20.04)', () => {
    for (const unit of units.values()) {
      expect(Object.keys(SETTINGS)).toEqual(expect.arrayContaining([...unit.keys()]));
      for (const [section, settings] of unit) {
        expect(SETTINGS[section]).toEqual(expect.arrayContaining(settings.map(([key]) => key)));
      }
    }
  });
});

/** systemd checks its units itself where it is installed; the tests above need no systemd. */
if (spawnSync('systemd-analyze', ['--version']).status === 0) describe('systemd-analyze verify', verifyUnits);

function verifyUnits(): void {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'antelope-history-units-'));
    cpSync(path.join(WORKSPACE_ROOT, FOLDER), folder, { recursive: true });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** One line for each finding. */
  function verify(...names: string[]): string[] {
    const { stderr, status } = spawnSync('systemd-analyze', ['verify', '--man=no', ...names], {
      env: { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:/usr/lib/systemd/system:/lib/systemd/system` },
      encoding: 'utf8',
    });
    const complaints = stderr
      .split('\n')
      .filter((line) => line.includes(folder) || line.startsWith('antelope-history'));
    return status === 0 || complaints.length > 0 ? complaints : [stderr];
  }

  it('accepts all units and instances', () => {
    const names = files.map((file) => path.basename(file).replace('@.', '@9000.'));
    expect(verify(...names.map((name) => (name.includes('@') ? name : path.join(folder, name))))).toEqual([]);
  });

  it('reports an unknown setting', () => {
    cpSync(path.join(folder, 'antelope-history-reader.service'), path.join(folder, 'antelope-history-broken.service'));
    spawnSync('sed', [
      '-i',
      's/^ProtectHome=.*/ProtectHouse=true/',
      path.join(folder, 'antelope-history-broken.service'),
    ]);
    expect(verify(path.join(folder, 'antelope-history-broken.service')).join()).toContain('ProtectHouse');
  });
}
