import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { ABI, APIClient } from '@wharfkit/antelope';
import { JsonRpc } from 'eosjs';
import { describeOnSets, type IndexedChain, startIndexedChain } from '@antelope-history/processes';
import { readAuthorizers, readChainBlocks, sampleFolder } from '@antelope-history/test-support/recordings';

const SAMPLE = 'leap-edge';

/** Responds to get_info as the recorded node did. */
async function startNode(): Promise<Server> {
  const info = JSON.stringify(readAuthorizers(sampleFolder(SAMPLE)).info);
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(info);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describeOnSets('the calls of /v1/chain that client libraries send first', (set) => {
  let node: Server;
  let service: IndexedChain;
  const blocks = [...readChainBlocks(sampleFolder(SAMPLE))].filter(({ status }) => status === 200);
  beforeAll(async () => {
    node = await startNode();
    const nodeUrl = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
    const environment = { HISTORY_GATEWAY__CHAIN_NODE_URL: nodeUrl };
    service = await startIndexedChain(set, sampleFolder(SAMPLE), { environment });
  }, 180_000);
  afterAll(async () => {
    await service.stop();
    node.close();
  });

  it('wharfkit reads the state of the chain, from which it makes the header of a transaction', async () => {
    const info = await new APIClient({ url: service.url }).v1.chain.get_info();
    const last = blocks.at(-1);
    expect(info.head_block_num.toNumber()).toBeGreaterThanOrEqual(last?.blockNum ?? Infinity);
    const header = info.getTransactionHeader(120);
    expect(header.ref_block_num.toNumber()).toBe(info.last_irreversible_block_num.toNumber() % 65_536);
    expect(info.chain_id.hexString).toMatch(/^[0-9a-f]{64}$/);
  });

  it('wharfkit and eosjs read blocks and their headers', async () => {
    const { chain } = new APIClient({ url: service.url }).v1;
    const rpc = new JsonRpc(service.url, { fetch });
    for (const { blockNum, body } of blocks.filter((_, index) => index % 20 === 0)) {
      const { id, previous } = JSON.parse(body) as { id: string; previous: string };
      const block = await chain.get_block(blockNum);
      expect([String(block.id), String(block.previous)]).toEqual([id, previous]);
      expect(String((await chain.get_block_info(blockNum)).id)).toBe(id);
      expect((await rpc.get_block(id)).block_num).toBe(blockNum);
      expect((await rpc.get_block_info(blockNum)).id).toBe(id);
    }
  });

  it('wharfkit and eosjs read the ABI of a contract', async () => {
    const { chain } = new APIClient({ url: service.url }).v1;
    const { account_name, abi } = await chain.get_abi('eosio.token');
    expect(account_name).toBe('eosio.token');
    const raw = await chain.get_raw_abi('eosio.token');
    expect(ABI.from(raw.abi).getActionType('transfer')).toBe('transfer');
    expect(ABI.from(JSON.stringify(abi)).equals(ABI.from(raw.abi))).toBe(true);
    const rpc = new JsonRpc(service.url, { fetch });
    expect((await rpc.get_abi('eosio.token')).abi?.actions.map(({ name }) => name)).toContain('transfer');
    expect(Buffer.from((await rpc.getRawAbi('eosio.token')).abi).length).toBeGreaterThan(100);
  });
});
