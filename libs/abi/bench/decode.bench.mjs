/**
 * Measures the decoding of the Leap sample's recorded actions, with this library and with wharfkit, after checking that
 * both decode the transfers to the same values. Run: `npx tsc --build libs/abi && node libs/abi/bench/decode.bench.mjs`.
 */
import { isDeepStrictEqual } from 'node:util';
import { ABI, Serializer } from '@wharfkit/antelope';
import abi from '@antelope-history/abi';
import recordings from '@antelope-history/test-support/recordings';

const MIN_MILLISECONDS = 1500;

const recorded = readActions('leap-edge');
const abis = lastAbis(recorded);
const ours = new Map([...abis].map(([account, bytes]) => [account, abi.createAbiDecoder(bytes)]));
const theirs = new Map([...abis].map(([account, bytes]) => [account, Serializer.decode({ data: bytes, type: ABI })]));

/** wharfkit throws on strings that are not UTF-8, and some recorded actions contain such strings. */
const actions = recorded.filter((action) => typeof action.data === 'object' && decodesInBoth(action));
print(`${actions.length} of ${recorded.length} recorded actions decode in both`);

compare('eosio.token::transfer', (action) => action.account === 'eosio.token' && action.name === 'transfer', true);
compare('eosio::updateauth', (action) => action.account === 'eosio' && action.name === 'updateauth', false);
compare('types::allprims', (action) => action.account === 'types' && action.name === 'allprims', false);
compare('all decodable actions', () => true, false);

/** `exact`: both libraries print these types in the same form, so the values must be equal. */
function compare(title, filter, exact) {
  const chosen = actions.filter(filter);
  if (exact) chosen.forEach(requireEqual);
  const oursPerSecond = rate(chosen, decodeOurs);
  const theirsPerSecond = rate(chosen, decodeTheirs);
  const factor = (oursPerSecond / theirsPerSecond).toFixed(1);
  print(`${title}: ${Math.round(oursPerSecond)} decodes/s, wharfkit ${Math.round(theirsPerSecond)}, ${factor} times`);
}

function decodesInBoth(action) {
  try {
    decodeTheirs(action);
    return decodeOurs(action) !== undefined;
  } catch {
    return false;
  }
}

function requireEqual(action) {
  const [left, right] = [decodeOurs(action), decodeTheirs(action)];
  if (!isDeepStrictEqual(left, right)) throw new Error(`${JSON.stringify(left)} is not ${JSON.stringify(right)}`);
}

function decodeOurs({ account, name, bytes }) {
  return ours.get(account).decodeAction(name, bytes);
}

function decodeTheirs({ account, name, bytes }) {
  const contract = theirs.get(account);
  return Serializer.objectify(Serializer.decode({ data: bytes, abi: contract, type: contract.getActionType(name) }));
}

function rate(chosen, decode) {
  for (let round = 0; round < 3; round++) chosen.forEach(decode);
  let decodes = 0;
  const start = performance.now();
  while (performance.now() - start < MIN_MILLISECONDS) {
    chosen.forEach(decode);
    decodes += chosen.length;
  }
  return (decodes * 1000) / (performance.now() - start);
}

function readActions(sample) {
  return [...recordings.readChainBlocks(recordings.sampleFolder(sample))]
    .flatMap(({ body }) => JSON.parse(body).transactions)
    .filter(({ trx }) => typeof trx === 'object')
    .flatMap(({ trx }) => trx.transaction.actions)
    .map((action) => ({ ...action, bytes: Buffer.from(action.hex_data, 'hex') }));
}

function lastAbis(all) {
  const setabis = all.filter(({ account, name }) => account === 'eosio' && name === 'setabi');
  const last = new Map(setabis.map(({ data }) => [data.account, Buffer.from(data.abi, 'hex')]));
  return new Map([...last].filter(([, bytes]) => bytes.length > 16));
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
