import { parseAbiJson } from '@antelope-history/abi';
import { createBoundedResolver, expectBytes } from './layout-bounds';

interface Parts {
  structs?: { name: string; base: string; fields: { name: string; type: string }[] }[];
  variants?: { name: string; types: string[] }[];
}
const resolverOf = (parts: Parts) => createBoundedResolver(parseAbiJson(JSON.stringify(parts)));
const fields = (count: number, type = 'name') =>
  Array.from({ length: count }, (_, each) => ({ name: `f${each}`, type }));

describe('the limits on a node ABI', () => {
  it.each<[string, Parts]>([
    ['a name of 129 characters', { structs: [{ name: 'x'.repeat(129), base: '', fields: [] }] }],
    ['more than 256 members', { structs: [{ name: 'wide', base: '', fields: fields(257) }] }],
  ])('refuse %s', (_what, parts) => {
    expect(() => resolverOf(parts)).toThrow(expect.objectContaining({ code: 'SHIP_UNSUPPORTED' }));
  });

  it('count the fields of a base for each struct that inherits them', () => {
    const base = { name: 'base', base: '', fields: fields(200) };
    const heirs = Array.from({ length: 200 }, (_, each) => ({ name: `heir${each}`, base: 'base', fields: [] }));
    const resolve = resolverOf({ structs: [base, ...heirs] });
    expect(() => heirs.forEach(({ name }) => resolve(name))).toThrow('more than 20000 members');
  });

  it('limit the length of the error message, which quotes the ABI', () => {
    const resolve = resolverOf({});
    expect(() => resolve('y'.repeat(5_000))).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^.{1,400}$/) }),
    );
  });

  it('refuse types whose values may take no bytes', () => {
    const resolve = resolverOf({
      structs: [
        { name: 'nothing', base: '', fields: [] },
        { name: 'perhaps', base: '', fields: fields(2, 'name$') },
        { name: 'something', base: '', fields: [...fields(1), ...fields(1, 'name$')] },
      ],
    });
    for (const name of ['nothing', 'perhaps', 'name[0]']) expect(() => expectBytes(resolve(name))).toThrow();
    for (const name of ['something', 'name[3]', 'nothing[]']) expect(() => expectBytes(resolve(name))).not.toThrow();
  });
});
