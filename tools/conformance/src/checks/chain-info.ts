import { ROUTES } from '@antelope-history/routes';
import { readAuthorizers, readChainBlocks, sampleFolder } from '@antelope-history/test-support/recordings';
import { compareResponses, type Reason, unexplained } from '../comparison';
import { inParallel } from '../in-parallel';
import type { RecordedChain } from '../recorded-chain';
import { Tally } from '../tally';
import { type Check, REQUESTS_AT_A_TIME } from './check';

/** Fields of `get_info` that no other source than a chain node has; none is configured here. */
const NODE_FIELDS = new Set([
  'server_version',
  'virtual_block_cpu_limit',
  'virtual_block_net_limit',
  'block_cpu_limit',
  'block_net_limit',
  'server_version_string',
  'server_full_version_string',
  'total_cpu_weight',
  'total_net_weight',
]);

/** The intended differences of `get_info`. */
export const CHAIN_INFO_REASONS: readonly Reason<RecordedChain>[] = [
  {
    name: 'node-only-fields',
    sentence:
      'Without a configured chain node `get_info` has no version of a server and no limits of blocks (`server_version`, `virtual_block_cpu_limit` and seven more).',
    explains: ({ path: [field], ours }) => ours === undefined && NODE_FIELDS.has(String(field)),
  },
  {
    name: 'later-head',
    sentence:
      '`get_info` tells the end of the recording, which goes on for a block after the node was asked for its own.',
    explains: ({ path: [field], ours }, _, chain) =>
      field !== undefined && (expectedInfo(chain) as Record<string, unknown>)[String(field)] === ours,
  },
];

/** Compares `get_info` with the node's own response, and with what follows from the state history. */
export const checkChainInfo: Check = async (chain, served) => {
  const { path } = ROUTES.getInfo;
  const [tally, fromShip] = [
    new Tally('chain/get_info', chain.name),
    new Tally('chain/get_info, all of SHiP', chain.name),
  ];
  const { body } = await served.post(path, {});
  const { chain_id: chainId } = JSON.parse(body) as { chain_id?: string };
  const expected = { ...(chainId === undefined ? {} : { chain_id: chainId }), ...expectedInfo(chain) };
  fromShip.add('get_info', compareResponses(JSON.stringify(expected), body, [], chain));
  if (chain.isEosio20) return [fromShip.outcome()];
  const { info } = readAuthorizers(sampleFolder(chain.name));
  tally.add('get_info', compareResponses(JSON.stringify(info), body, CHAIN_INFO_REASONS, chain));
  return [tally.outcome(), fromShip.outcome()];
};

/** What a node that stopped at the end of the recording would report, without its chain id and `NODE_FIELDS`. */
function expectedInfo({ blocks, lastIrreversible }: RecordedChain): object {
  const all = [...blocks.values()];
  const [first, head] = [all.find(({ block }) => block), all.at(-1)];
  return {
    head_block_num: head?.num,
    last_irreversible_block_num: lastIrreversible.block_num,
    last_irreversible_block_id: lastIrreversible.block_id,
    head_block_id: head?.id,
    head_block_time: head?.block?.timestamp,
    head_block_producer: head?.block?.producer,
    fork_db_head_block_num: head?.num,
    fork_db_head_block_id: head?.id,
    earliest_available_block_num: first?.num,
    last_irreversible_block_time: blocks.get(lastIrreversible.block_num)?.block?.timestamp,
  };
}

const INFO_FIELDS = [
  ...['block_num', 'ref_block_num', 'id', 'timestamp', 'producer', 'confirmed', 'previous', 'transaction_mroot'],
  ...['action_mroot', 'schedule_version', 'producer_signature', 'ref_block_prefix'],
];

/** Compares `get_block_info` of every block with the same fields of the node's recorded `get_block`. */
export const checkBlockInfos: Check = async (chain, served) => {
  const tally = new Tally('chain/get_block_info', chain.name);
  const recorded = served.some([...readChainBlocks(sampleFolder(chain.name))]);
  await inParallel(recorded, REQUESTS_AT_A_TIME, async ({ blockNum, body }) => {
    const block: Record<string, unknown> = { ref_block_num: blockNum % 65536, ...(JSON.parse(body) as object) };
    const expected = Object.fromEntries(INFO_FIELDS.map((field) => [field, block[field]]));
    const ours = await served.postAlike(ROUTES.getBlockInfo.path, [
      { block_num: blockNum },
      { block_num: String(blockNum) },
    ]);
    const isFound = ours.status === 200;
    const comparison = compareResponses(JSON.stringify(expected), ours.body, [], chain);
    tally.add(`block ${blockNum}`, isFound ? comparison : unexplained(`status ${ours.status}`));
  });
  return [tally.outcome()];
};
