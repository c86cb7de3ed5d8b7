import { compileAbi, createTypeResolver } from '@antelope-history/abi';
import { createRandom, generateAbi, generateData, type Random, testSize } from '@antelope-history/test-support/random';
import { ABI, Serializer } from '@wharfkit/antelope';
import { Comparison, type Difference, DifferenceCounts } from './wharfkit-comparison';

/** `FUZZ_ROUNDS` for a longer run, `FUZZ_SEED` to see one again. */
const ROUNDS = Number(process.env['FUZZ_ROUNDS'] ?? testSize({ usual: 600, long: 2_000 }));
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_000);
/** How many of the rounds wharfkit must have read: the others nest deeper than one of the two takes. */
const LEAST_COMPARED = 0.9;

/** The recorded chains have no 128-bit integer that is small. */
const SHORT_INTEGER: Difference = {
  name: 'int128, uint128: always in quotes',
  same: (ours, theirs) => ours === String(theirs),
};
const FURTHER = { int128: SHORT_INTEGER, uint128: SHORT_INTEGER };

/** Decodes made-up data by its made-up ABI with both; gives whether both could. */
function compareOnce(random: Random, differences: DifferenceCounts): boolean {
  const abi = generateAbi(random, { plain: true });
  const { type } = abi.actions[0]!;
  const { bytes, json } = generateData(abi, type, random);
  if (json === undefined) return false;
  const ours = valueOf(() => compileAbi(abi).decode(type, bytes), /nests deeper/);
  const theirs = valueOf(
    () => Serializer.objectify(Serializer.decode({ data: bytes, type, abi: toWharfkit(abi) })) as unknown,
    /depth exceeded/,
  );
  if (ours === undefined || theirs === undefined) return false;
  new Comparison(createTypeResolver(abi), differences, FURTHER).compare(type, ours, theirs);
  return true;
}

function toWharfkit(abi: ReturnType<typeof generateAbi>): ABI {
  const actions = abi.actions.map((action) => ({ ...action, ricardian_contract: '' }));
  const tables = abi.tables.map((table) => ({ ...table, index_type: 'i64', key_names: [], key_types: [] }));
  return ABI.from({ ...abi, actions, tables });
}

/** Undefined when it fails for that reason; any other is thrown. */
function valueOf<T>(decode: () => T, reason: RegExp): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (reason.test(String(error))) return undefined;
    throw error;
  }
}

it(`made-up data of made-up ABIs is decoded by wharfkit as by us, but for the known differences (seed ${SEED})`, () => {
  const random = createRandom(SEED);
  const differences = new DifferenceCounts();
  let compared = 0;
  for (let index = 0; index < ROUNDS; index++) {
    try {
      compared += Number(compareOnce(random, differences));
    } catch (error) {
      throw new Error(`round ${index}: ${String(error)}`, { cause: error });
    }
  }
  expect(compared / ROUNDS).toBeGreaterThan(LEAST_COMPARED);
}, 1_800_000);
