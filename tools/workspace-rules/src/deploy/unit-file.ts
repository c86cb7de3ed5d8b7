/** A systemd unit file: the `key=value` lines of each section, in order. */
export type UnitFile = Map<string, [key: string, value: string][]>;

/** Throws when a line is neither a section, a setting nor a comment. */
export function parseUnitFile(text: string): UnitFile {
  const sections: UnitFile = new Map();
  let settings: [string, string][] | undefined;
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, section] = /^\[(\w+)\]$/.exec(line) ?? [];
    if (section !== undefined) {
      settings = sections.get(section) ?? [];
      sections.set(section, settings);
      continue;
    }
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (key === undefined || value === undefined || !settings) throw new Error(`invalid line of a unit file: ${line}`);
    settings.push([key, value]);
  }
  return sections;
}

export function valuesOf(unit: UnitFile, section: string, key: string): string[] {
  return (unit.get(section) ?? []).filter(([name]) => name === key).map(([, value]) => value);
}
