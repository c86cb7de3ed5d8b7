import { openSample } from '@antelope-history/test-support/recordings';
import { definition, struct } from '../test/definitions';
import { thrownDetail } from '../test/thrown-error';
import { compileAbi } from './abi-decoder';
import { parseAbiJson } from './abi-definition';
import type { JsonObject } from '@antelope-history/json';
import { createTypeResolver } from './type-resolver';

describe('createTypeResolver', () => {
  const resolve = createTypeResolver(
    definition({
      types: [
        { new_type_name: 'account', type: 'name' },
        { new_type_name: 'owner', type: 'account' },
        { new_type_name: 'owners', type: 'owner[]' },
        { new_type_name: 'loop', type: 'pool' },
        { new_type_name: 'pool', type: 'loop' },
      ],
      structs: [
        struct('grandparent', { g: 'uint8' }),
        struct('parent', { p1: 'name', p2: 'owners' }, 'grandparent'),
        struct('child', { c: 'string$' }, 'parent'),
        struct('orphan', {}, 'name'),
        struct('ouroboros', {}, 'ouroboros'),
        struct('uint8', { shadowed: 'name' }),
      ],
      variants: [{ name: 'choice', types: ['name', 'child'] }],
    }),
  );

  it('follows typedefs and resolves one suffix at a time', () => {
    expect(resolve('owner')).toEqual({ kind: 'builtin', name: 'name' });
    expect(resolve('owners')).toEqual({ kind: 'array', element: 'owner' });
    expect(resolve('owners?')).toEqual({ kind: 'optional', element: 'owners' });
    expect(resolve('owners?[][4]$')).toEqual({ kind: 'extension', element: 'owners?[][4]' });
    expect(resolve('owners?[][4]')).toEqual({ kind: 'fixed-array', element: 'owners?[]', size: 4 });
    expect(resolve('choice')).toEqual({ kind: 'variant', name: 'choice', types: ['name', 'child'] });
  });

  it('puts the fields of bases first', () => {
    expect(resolve('child')).toEqual({
      kind: 'struct',
      name: 'child',
      fields: [
        { name: 'g', type: 'uint8', level: 2 },
        { name: 'p1', type: 'name', level: 1 },
        { name: 'p2', type: 'owners', level: 1 },
        { name: 'c', type: 'string$', level: 0 },
      ],
    });
  });

  it('prefers a builtin to a struct of the same name', () => {
    expect(resolve('uint8')).toEqual({ kind: 'builtin', name: 'uint8' });
    const older = createTypeResolver(definition({ structs: [struct('bitset', { bits: 'uint8' })] }));
    expect(older('bitset').kind).toBe('struct');
    expect(resolve('bitset').kind).toBe('builtin');
  });

  it.each(['nothing', 'nothing[]x', 'loop', 'orphan', 'ouroboros', 'child[x]'])('refuses %s', (name) => {
    expect(thrownDetail('ABI_INVALID', () => resolve(name))).toContain('not valid');
  });

  it.each([
    ['leap-edge', 3651],
    ['eosio20-edge', 2855],
  ] as const)('resolves every type in the SHiP ABI of %s', (sample, actionTraces) => {
    const { abi, messages } = openSample(sample);
    const protocol = parseAbiJson(abi);
    const resolveProtocol = createTypeResolver(protocol);
    const names = protocol.structs.flatMap(({ name, fields }) => [name, ...fields.map(({ type }) => type)]);
    for (const name of [...names, ...protocol.variants.flatMap(({ types }) => types)]) resolveProtocol(name);

    const decoder = compileAbi(protocol);
    const traces = messages
      .filter((message) => message.traces.present)
      .map(({ bytes, traces: { start, end } }) => decoder.decode('transaction_trace[]', bytes.subarray(start, end)))
      .flatMap((section) => section as [string, JsonObject][]);
    expect(traces.flatMap(([, trace]) => trace['action_traces'])).toHaveLength(actionTraces);
  });
});
