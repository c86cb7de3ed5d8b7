/** What a configuration file holds before it is validated: nested objects by their keys in snake_case. */
export type Settings = Record<string, unknown>;

/** The value at a path of keys; undefined where a section is missing or is no object. */
export function getAt(settings: Settings, [head = '', ...rest]: string[]): unknown {
  if (rest.length === 0) return settings[head];
  const section = sectionAt(settings, head);
  return section && getAt(section, rest);
}

/** Sets a value and creates the sections on its path. A section that is no object is replaced. */
export function setAt(settings: Settings, [head = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    settings[head] = value;
    return;
  }
  const section = sectionAt(settings, head) ?? {};
  settings[head] = section;
  setAt(section, rest, value);
}

export function removeAt(settings: Settings, [head = '', ...rest]: string[]): void {
  if (rest.length === 0) Reflect.deleteProperty(settings, head);
  else removeAt(sectionAt(settings, head) ?? {}, rest);
}

/** Sets every value of `overrides` in `settings`. */
export function overlay(settings: Settings, overrides: Settings): void {
  for (const [name, value] of Object.entries(overrides)) {
    const section = sectionAt(overrides, name);
    if (section) {
      const target = sectionAt(settings, name) ?? {};
      settings[name] = target;
      overlay(target, section);
    } else settings[name] = value;
  }
}

function sectionAt(settings: Settings, name: string): Settings | undefined {
  const section = settings[name];
  return typeof section === 'object' && section !== null && !Array.isArray(section) ? (section as Settings) : undefined;
}
