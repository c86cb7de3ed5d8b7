import { createHash } from 'node:crypto';
import { ABI, Serializer } from '@wharfkit/antelope';
import { ROUTES } from '@antelope-history/routes';
import type { AbiVersion } from '../abi-history';
import { type Comparison, compareResponses, EQUAL, unexplained } from '../comparison';
import { inParallel } from '../in-parallel';
import type { RecordedChain } from '../recorded-chain';
import type { HttpResponse } from '../served-recording';
import { Tally } from '../tally';
import { type Check, REQUESTS_AT_A_TIME } from './check';

/** The node treats an ABI of at most this size as none. */
const EMPTY_ABI_BYTES = 4;
const NO_CODE = '0'.repeat(64);

/** An account after a block, or at the end of the chain. */
interface AccountState {
  account: string;
  blockNum: number | undefined;
  /** Empty without an ABI. */
  packed: Buffer;
}

/**
 * Compares `get_abi` and `get_raw_abi` of every account of the chain at its end, and of every contract before and after each
 * change of its ABI. The expected ABI is what the library of wallets unpacks, the hash of the code that of the state history.
 */
export const checkAbis: Check = async (chain, served) => {
  const abis = new Tally('chain/get_abi, all of SHiP', chain.name);
  const raw = new Tally('chain/get_raw_abi, all of SHiP', chain.name);
  await inParallel(served.some(statesOf(chain)), REQUESTS_AT_A_TIME, async (state) => {
    const request = { account_name: state.account, ...(state.blockNum !== undefined && { block_num: state.blockNum }) };
    const about = JSON.stringify(request);
    abis.add(about, compareAbi(state, await served.post(ROUTES.getAbi.path, request), chain));
    raw.add(about, compareRawAbi(state, await served.post(ROUTES.getRawAbi.path, request), chain));
  });
  return [abis.outcome(), raw.outcome()];
};

function statesOf({ abis, permissions, blocks }: RecordedChain): AccountState[] {
  const none = Buffer.alloc(0);
  const first = [...blocks.values()].find(({ block }) => block)?.num ?? 0;
  const last = Math.max(...blocks.keys());
  const atEnd = permissions.owners().map((account): AccountState => {
    const packed = abis.all().get(account)?.at(-1)?.packed ?? none;
    return { account, blockNum: undefined, packed };
  });
  const atChanges = [...abis.all()].flatMap(([account, versions]) =>
    [...new Set(versions.flatMap(({ blockNum }) => [blockNum - 1, blockNum]))]
      .filter((blockNum) => blockNum >= first && blockNum <= last)
      .map((blockNum): AccountState => {
        const packed = versions.findLast((version) => isInForceAfter(blockNum, version))?.packed ?? none;
        return { account, blockNum, packed };
      }),
  );
  return [...atEnd, ...atChanges];
}

/** An ABI of the initial state is in force from the beginning of the block whose deltas have it. */
function isInForceAfter(blockNum: number, version: AbiVersion): boolean {
  return version.blockNum <= blockNum || (version.blockNum === blockNum + 1 && version.sequence === 0);
}

function compareAbi({ account, packed }: AccountState, ours: HttpResponse, chain: RecordedChain): Comparison {
  if (packed.length <= EMPTY_ABI_BYTES) return same({ account_name: account }, ours, chain);
  const abi = unpack(packed, chain.isEosio20);
  if (abi) return same({ account_name: account, abi }, ours, chain);
  const { error } = JSON.parse(ours.body) as { error?: { name: string } };
  if (ours.status === 400 && error?.name === 'account_query_exception') return EQUAL;
  return unexplained(`an ABI that does not unpack is answered with status ${ours.status}`);
}

/** In the order of the node. Undefined for bytes that are no ABI. */
function unpack(packed: Buffer, isEosio20: boolean): object | undefined {
  try {
    const abi = Serializer.decode({ data: packed, type: ABI });
    return {
      version: abi.version,
      types: abi.types,
      structs: abi.structs.map(({ name, base, fields }) => ({ name, base, fields })),
      actions: abi.actions,
      tables: abi.tables,
      ricardian_clauses: abi.ricardian_clauses,
      error_messages: [],
      abi_extensions: [],
      variants: abi.variants,
      ...(isEosio20 ? {} : { action_results: abi.action_results }),
    };
  } catch {
    return undefined;
  }
}

function compareRawAbi(state: AccountState, ours: HttpResponse, chain: RecordedChain): Comparison {
  const codeHash = codeHashOf(chain, state);
  const expected = {
    account_name: state.account,
    ...(codeHash !== undefined && { code_hash: codeHash }),
    abi_hash: sha256(state.packed),
    abi: state.packed.toString('base64'),
  };
  return same(expected, ours, chain);
}

/** Undefined if the state history has the code of no block of the history: it is older than a snapshot. */
function codeHashOf({ blocks }: RecordedChain, { account, blockNum = Infinity }: AccountState): string | undefined {
  const upTo = [...blocks.values()].filter(({ num }) => num <= blockNum);
  const isFromGenesis = upTo[0]?.num === 1;
  const inHistory = isFromGenesis ? upTo : upTo.filter(({ block }) => block);
  const rows = inHistory.flatMap(({ accountMetadata }) => accountMetadata.filter(({ name }) => name === account));
  const newest = rows.at(-1);
  if (newest) return newest.code?.code_hash ?? NO_CODE;
  return isFromGenesis ? NO_CODE : undefined;
}

function same(expected: object, ours: HttpResponse, chain: RecordedChain): Comparison {
  if (ours.status !== 200) return unexplained(`status ${ours.status}: ${ours.body.slice(0, 300)}`);
  return compareResponses(JSON.stringify(expected), ours.body, [], chain);
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
