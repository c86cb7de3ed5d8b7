import { JsonWriter } from '@antelope-history/json';
import { renderInteger64, writeInteger64 } from './integer64';

it.each([
  [0n, 0],
  [4294967295n, 4294967295],
  [4294967296n, '4294967296'],
  [18446744073709551615n, '18446744073709551615'],
  [-5n, -5],
  [4294967295, 4294967295],
  [4294967296, '4294967296'],
  [Number.MAX_SAFE_INTEGER, '9007199254740991'],
])('%p is the node’s %p', (value, rendered) => {
  expect(renderInteger64(value)).toBe(rendered);
  expect(String(writeInteger64(new JsonWriter(), value).copyFrom(0))).toBe(JSON.stringify(rendered));
});
