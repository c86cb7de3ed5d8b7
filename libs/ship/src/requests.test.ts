import { openSample } from '@antelope-history/test-support/recordings';
import { ABI, Serializer } from '@wharfkit/antelope';
import fc from 'fast-check';
import { createShipProtocol } from './ship-protocol';
import { encodeAck, encodeBlocksRequest, encodeStatusRequest } from './requests';

const abi = ABI.from(openSample('leap-edge').abi);
const decode = (data: Buffer, from = abi): unknown =>
  Serializer.objectify(Serializer.decode({ data, type: 'request', abi: from }));

const uint32 = fc.integer({ min: 0, max: 0xffffffff });
const position = fc.record({
  num: uint32,
  id: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex')),
});

describe("the request encoders, checked with the node's own ABI", () => {
  it('encode a status request', () => {
    expect(decode(encodeStatusRequest())).toEqual(['get_status_request_v0', {}]);
  });

  it('encode an acknowledgement', () => {
    fc.assert(
      fc.property(uint32, (messages) => {
        expect(decode(encodeAck(messages))).toEqual(['get_blocks_ack_request_v0', { num_messages: messages }]);
      }),
    );
  });

  it.each([
    ['without finality data', 'leap-edge', 'get_blocks_request_v0', {}],
    ['with finality data', 'spring-savanna', 'get_blocks_request_v1', { fetch_finality_data: true }],
  ] as const)('encode a request for blocks with traces and deltas, %s', (_, sample, type, added) => {
    const frame = openSample(sample).abi;
    const { sendsFinalityData } = createShipProtocol(frame);
    expect(sendsFinalityData).toBe('fetch_finality_data' in added);
    const request = fc.record({
      startBlock: uint32,
      endBlock: uint32,
      maxMessagesInFlight: uint32,
      havePositions: fc.array(position, { maxLength: 300, size: 'max' }),
      irreversibleOnly: fc.boolean(),
    });
    fc.assert(
      fc.property(request, (blocks) => {
        expect(decode(encodeBlocksRequest(blocks, sendsFinalityData), ABI.from(frame))).toEqual([
          type,
          {
            start_block_num: blocks.startBlock,
            end_block_num: blocks.endBlock,
            max_messages_in_flight: blocks.maxMessagesInFlight,
            have_positions: blocks.havePositions.map(({ num, id }) => ({ block_num: num, block_id: id })),
            irreversible_only: blocks.irreversibleOnly,
            fetch_block: true,
            fetch_traces: true,
            fetch_deltas: true,
            ...added,
          },
        ]);
      }),
    );
  });
});
