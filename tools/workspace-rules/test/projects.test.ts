import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readProjects, WORKSPACE_ROOT } from '../src';

const projects = readProjects();
const read = (file: string): string => readFileSync(path.join(WORKSPACE_ROOT, file), 'utf8');

describe('every project', () => {
  it.each(projects)('$folder has one layer', ({ tags }) => {
    expect(tags.filter((tag) => tag.startsWith('layer:'))).toHaveLength(1);
  });

  it.each(projects)('$folder is in the root tsconfig.json', ({ folder }) => {
    const { references } = JSON.parse(read('tsconfig.json')) as { references: { path: string }[] };
    expect(references).toContainEqual({ path: `./${folder}` });
  });

  it.each(projects)('$folder has the name of its folder', ({ folder, name }) => {
    expect(path.basename(folder)).toBe(name);
  });
});

describe('the files', () => {
  const files = ['apps', 'libs', 'tools']
    .flatMap((group) => readdirSync(path.join(WORKSPACE_ROOT, group), { recursive: true, encoding: 'utf8' }))
    .filter((file) => /\.(ts|mjs|cjs)$/.test(file) && !/(^|\/)(dist|out-tsc|node_modules)\//.test(file));

  it('have descriptive names in kebab-case', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(
      files.filter((file) => !/\/[a-z0-9]+(-[a-z0-9]+)*(\.\d+)?(\.(test|bench|config))?\.(ts|mjs|cjs)$/.test(file)),
    ).toEqual([]);
    expect(files.filter((file) => /\/(utils?|helpers?|common|misc)(\/|\.)/.test(file))).toEqual([]);
  });
});
