import { ABI, Serializer } from '@wharfkit/antelope';
import { compileAbi, createTypeResolver } from '@antelope-history/abi';
import { createRandom, generateAbi, generateData, type Random, testSize } from '@antelope-history/test-support/random';
import { Comparison, type Difference, DifferenceCounts } from './wharfkit-comparison';

/** `FUZZ_ROUNDS` makes the run longer, `FUZZ_SEED` repeats a run. */
const ROUNDS = Number(process.env['FUZZ_ROUNDS'] ?? testSize({ usual: 600, long: 2_000 }));
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_000);
/** The minimum share of compared rounds; the others nest deeper than one of the two decoders accepts. */
const MIN_COMPARED = 0.9;

/** The recorded chains contain no small 128-bit integer. */
const SHORT_INTEGER: Difference = {
  name: 'int128, uint128: always in quotes',
  same: (ours, theirs) => ours === String(theirs),
};
const FURTHER = { int128: SHORT_INTEGER, uint128: SHORT_INTEGER };

/** Decodes generated data of a generated ABI with both decoders; returns whether both succeeded. */
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

/** Undefined when decoding fails with a message that matches `reason`; other errors are thrown. */
function valueOf<T>(decode: () => T, reason: RegExp): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (reason.test(String(error))) return undefined;
    throw error;
  }
}

it(`generated data of generated ABIs decodes as with wharfkit, except for the known differences (seed ${SEED})`, () => {
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
  expect(compared / ROUNDS).toBeGreaterThan(MIN_COMPARED);
}, 1_800_000);
