import fc from 'fast-check';
import { ChainChooser } from './choose-chain';

const chooser = new ChainChooser({
  eos: { hosts: [] },
  wax: { hosts: ['wax.example', 'wax.history.example'] },
  constructor1: { hosts: [] },
});

describe('ChainChooser', () => {
  it.each([
    ['history.example', '/eos/v1/chain/get_info', 'eos', '/v1/chain/get_info'],
    ['history.example:8888', '/wax/health?x=/eos/', 'wax', '/health?x=/eos/'],
    ['history.example', '/wax', 'wax', '/'],
    ['history.example', '/wax?x=1', 'wax', '/?x=1'],
    [undefined, '/wax/', 'wax', '/'],
    [undefined, '/wax#x', 'wax', '/#x'],
    ['wax.example', '/v1/chain/get_info', 'wax', '/v1/chain/get_info'],
    ['WAX.Example.:443', '/eos/v1/chain/get_info', 'wax', '/eos/v1/chain/get_info'],
    ['eos.example', 'http://wax.example/v1/chain/get_info?x=1', 'wax', '/v1/chain/get_info?x=1'],
    ['wax.example', 'http://other.example/eos/v1', 'eos', '/v1'],
    ['history.example', '/eos//v1', 'eos', '//v1'],
  ])('host %s and target %s: %s', (host, target, name, url) => {
    expect(chooser.choose(host, target)).toEqual({ name, url });
  });

  it.each([
    '/v1/chain/get_info',
    '/',
    '',
    '*',
    '/EOS/v1',
    '/e%6fs/v1',
    '/eosx/v1',
    '/constructor/x',
    '/__proto__/x',
    '//eos/v1',
  ])('no chain: %s', (target) => expect(chooser.choose('history.example', target)).toBeUndefined());

  it('never sends a request to a chain that neither its host nor its path names', () => {
    const part = fc.oneof(
      fc.string(),
      fc.constantFrom('/', '.', '..', 'eos', 'wax', '%2f', '\\', '?', '#', ':', 'wax.example'),
    );
    const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (host, target) => {
        const chosen = chooser.choose(host, target);
        if (!chosen) return;
        expect(chosen.url.startsWith('/') || chosen.url === target).toBe(true);
        const byPath = target.startsWith(`/${chosen.name}`) || URL.canParse(target);
        expect(byPath || host.toLowerCase().startsWith('wax.')).toBe(true);
      }),
    );
  });
});
