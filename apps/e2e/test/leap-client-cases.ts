import { ABI, APIClient, type APIError, Serializer } from '@wharfkit/antelope';
import { JsonRpc } from 'eosjs';
import {
  readAuthorizers,
  readChainBlocks,
  readTraceBlocks,
  sampleFolder,
} from '@antelope-history/test-support/recordings';

/**
 * Declares the tests of eosjs and wharfkit. `url` returns the URL of a gateway that serves leap-edge. `stride`: of its blocks
 * wharfkit reads each n-th.
 */
export function describeLeapClients(url: () => string, stride: 1 | 5): void {
  const folder = sampleFolder('leap-edge');
  const eosjs = () => new JsonRpc(url(), { fetch });
  const wharfkit = () => new APIClient({ url: url() }).v1;
  interface ChainBlock {
    id: string;
    timestamp: string;
    producer: string;
    producer_signature: string;
    ref_block_prefix: number;
    transactions: { status: string; trx: string | { id: string; transaction: { expiration: string } } }[];
  }
  interface TraceTransaction {
    id: string;
    actions: { global_sequence: number | string }[];
  }
  const chainBlocks = [...readChainBlocks(folder)].map(({ blockNum, body }) => ({
    blockNum,
    block: JSON.parse(body) as ChainBlock,
  }));

  it('eosjs reads the blocks that the node returned with get_block, by number and by id', async () => {
    // The node decoded data with the latest ABI, the service with the ABI in force: see docs/compatibility.md.
    const withoutData = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value, (key, field: unknown) => (key === 'data' ? undefined : field)));
    for (const { blockNum, block } of chainBlocks.filter((_, index) => index % 5 === 0)) {
      expect(withoutData(await eosjs().get_block(blockNum))).toEqual(withoutData(block));
      expect(withoutData(await eosjs().get_block(block.id))).toEqual(withoutData(block));
    }
  });

  it('eosjs reads traces with trace_get_block', async () => {
    const recorded = [...readTraceBlocks(folder)].filter(({ status }, index) => status === 200 && index % 5 === 0);
    expect(recorded.length).toBeGreaterThan(40);
    for (const { blockNum, body } of recorded) {
      const found = await eosjs().trace_get_block(blockNum);
      const node = JSON.parse(body) as typeof found;
      // The type of eosjs is one transaction, but the field is a list.
      const sequencesOf = (block: typeof found) =>
        (block.transactions as unknown as TraceTransaction[]).map(({ id, actions }) => [
          id,
          actions.map(({ global_sequence }) => global_sequence),
        ]);
      expect([found.id, sequencesOf(found)]).toEqual([node.id, sequencesOf(node)]);
    }
  });

  it('eosjs reads the state of the chain, headers and ABIs', async () => {
    const { head, lastIrreversible, chainId } = readAuthorizers(folder);
    expect(await eosjs().get_info()).toMatchObject({
      chain_id: chainId,
      head_block_num: head.num,
      head_block_id: head.id,
      last_irreversible_block_num: lastIrreversible.num,
      last_irreversible_block_id: lastIrreversible.id,
    });
    const [{ blockNum, block } = { blockNum: 0, block: undefined }] = chainBlocks.slice(100);
    const { id, ref_block_prefix } = await eosjs().get_block_info(blockNum);
    expect([id, ref_block_prefix]).toEqual([block?.id, block?.ref_block_prefix]);
    const { abi } = await eosjs().get_abi('eosio.token');
    expect(abi?.actions.map(({ name }) => name)).toContain('transfer');
    const raw = await eosjs().getRawAbi('eosio.token');
    expect(raw.abi.length).toBeGreaterThan(100);
  });

  it('wharfkit reads ABIs', async () => {
    const { abi } = await wharfkit().chain.get_abi('eosio.token');
    const raw = await wharfkit().chain.get_raw_abi('eosio.token');
    expect(abi?.structs.length).toBeGreaterThan(0);
    expect(Serializer.decode({ data: raw.abi.array, type: ABI }).actions.map(({ name }) => String(name))).toEqual(
      abi?.actions.map(({ name }) => String(name)),
    );
  });

  it('wharfkit parses the blocks that the node returned with chain.get_block', async () => {
    for (const { blockNum, block } of chainBlocks.filter((_, index) => index % stride === 0)) {
      const found = await wharfkit().chain.get_block(blockNum);
      expect(found.block_num.toNumber()).toBe(blockNum);
      expect(String(found.id)).toBe(block.id);
      expect(found.timestamp.toString()).toBe(block.timestamp);
      expect(String(found.producer)).toBe(block.producer);
      expect(String(found.producer_signature)).toBe(block.producer_signature);
      expect(found.ref_block_prefix.toNumber()).toBe(block.ref_block_prefix);
      expect(found.transactions.map(({ id, status }) => [String(id), status])).toEqual(
        block.transactions.map(({ trx, status }) => [typeof trx === 'string' ? trx : trx.id, status]),
      );
    }
  });

  it('wharfkit throws the error of a node for an unknown block', async () => {
    const error: unknown = await wharfkit()
      .chain.get_block(99999999)
      .catch((reason: unknown) => reason);
    expect([(error as APIError).code, (error as APIError).name]).toEqual([3100002, 'unknown_block_exception']);
  });

  it('eosjs and wharfkit read the accounts of every key as the node returned them', async () => {
    const { keys } = readAuthorizers(folder);
    for (const [key, authorizations] of Object.entries(keys)) {
      const expected = [...new Set(authorizations.map(({ account_name }) => account_name))].sort();
      expect((await eosjs().history_get_key_accounts(key)).account_names).toEqual(expected);
      expect((await wharfkit().history.get_key_accounts(key)).account_names.map(String)).toEqual(expected);
    }
  });
}
