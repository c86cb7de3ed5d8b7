import { ERRORS } from '@antelope-history/schemas';
import { ROUTES } from '../src';

describe('ROUTES', () => {
  const routes = Object.entries(ROUTES);

  it('has each path once', () => {
    const paths = routes.map(([, { path }]) => path);
    expect(new Set(paths).size).toBe(paths.length);
  });

  it.each(routes)('defines %s completely', (_, route) => {
    expect(route.path).toMatch(new RegExp(`^/v1/[a-z_]+(/nodeos)?/${route.endpoint}$`));
    expect([route.summary, route.description]).toEqual([expect.stringMatching(/[^.]$/), expect.stringMatching(/\.$/)]);
    expect(Object.keys(ERRORS)).toEqual(expect.arrayContaining([...route.errors]));
    expect(route.errors).toContain('INVALID_REQUEST');
  });

  it.each(routes)('has an example of %s that its schemas accept', (_, { request, response, example }) => {
    expect(request.safeParse(example.request).error).toBeUndefined();
    expect(response.safeParse(example.response).error).toBeUndefined();
    expect(Object.keys(request.shape)).toEqual(expect.arrayContaining(Object.keys(example.request)));
  });

  it('keeps each group under one prefix', () => {
    const prefixes = new Set(routes.map(([, { group, path }]) => `${group} ${path.split('/')[2]}`));
    expect(prefixes.size).toBe(new Set(routes.map(([, { group }]) => group)).size);
  });
});
