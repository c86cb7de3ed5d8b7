import { apiUrlOf, chainListOf, type Settings } from './settings.js';

const settings = (api: Settings['api']): Settings => ({
  status: true,
  explorer: true,
  links: [],
  api,
  actionsPath: '/v1/history/get_actions',
  version: '1',
});

describe('apiUrlOf', () => {
  it.each<[Settings['api'], string, string]>([
    ['same origin', 'https://history.example/eos/', 'https://history.example/eos'],
    ['same origin', 'http://127.0.0.1:8888/#/status', 'http://127.0.0.1:8888'],
    [{ port: 8888, path: '' }, 'http://[::1]:8890/', 'http://[::1]:8888'],
    [{ port: 8888, path: '/wax' }, 'http://127.0.0.1:8890/wax/', 'http://127.0.0.1:8888/wax'],
    [{ port: 8888, path: '', host: '127.0.0.1' }, 'http://[::1]:8890/', 'http://127.0.0.1:8888'],
    [{ port: 8888, path: '/wax', host: '::1' }, 'http://127.0.0.1:8890/wax/', 'http://[::1]:8888/wax'],
    [{ port: 8888, path: '', host: '192.0.2.1' }, 'http://localhost:8890/', 'http://192.0.2.1:8888'],
    [{ port: 8888, path: '', host: '192.0.2.1' }, 'https://history.example:8890/', 'https://history.example:8888'],
    [{ url: 'https://history.example/eos/' }, 'http://127.0.0.1:8890/', 'https://history.example/eos'],
  ])('%j at %s', (api, at, url) => {
    expect(apiUrlOf(settings(api), new URL(at))).toBe(url);
  });
});

describe('chainListOf', () => {
  it.each([
    ['wax', 'https://history.example/wax/', '../'],
    ['wax', 'https://history.example/base/wax/', '../'],
    ['wax', 'https://wax.example/', undefined],
    [undefined, 'https://history.example/wax/', undefined],
  ])('of the chain %s at %s', (chain, at, list) => {
    expect(chainListOf({ ...settings('same origin'), ...(chain && { chain }) }, new URL(at))).toBe(list);
  });
});
