import { fromGenerationField, toGenerationField } from './node-generation';

it.each([
  ['eosio-2.0', 'eosio-2.0'],
  ['eosio-2.1+', 'leap'],
] as const)('the generation %s is stored as %s and read back', (generation, field) => {
  expect(toGenerationField(generation)).toBe(field);
  expect(fromGenerationField(field)).toBe(generation);
});
