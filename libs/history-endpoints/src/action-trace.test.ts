import type { AbiDecoder } from '@antelope-history/abi';
import { renderAct } from '@antelope-history/responses';
import { makeAction, makeTrace } from '@antelope-history/endpoint-testing';
import { renderActionTrace } from './action-trace';

const CONTEXT = { transactionId: '11'.repeat(32), blockNum: 7, blockId: '22'.repeat(32), blockTime: 'then' };

const decoder: AbiDecoder = {
  decodeAction: () => null,
  decodeActionResult: () => null,
  decode: () => null,
};

describe('renderActionTrace', () => {
  it('omits console bytes that are not UTF-8, as nodeos does', () => {
    const trace = makeTrace({ console: Buffer.from([0x61, 0xff, 0xc3, 0xa4, 0xc3]) });
    const action = makeAction({ traces: [trace] });
    expect(renderActionTrace(action, trace, renderAct(action, undefined), CONTEXT, undefined).console).toBe('aä');
  });

  it('shows the optional fields of a trace by the rules of nodeos', () => {
    const trace = makeTrace({
      elapsed: 4294967296n,
      accountRamDeltas: [{ account: 'bob', delta: -240n }],
      except: 'Y',
      errorCode: 10000000000000000000n,
    });
    const action = makeAction({ traces: [trace] });
    expect(renderActionTrace(action, trace, renderAct(action, undefined), CONTEXT, undefined)).toMatchObject({
      elapsed: '4294967296',
      account_ram_deltas: [{ account: 'bob', delta: -240 }],
      except: 'Y',
      error_code: '10000000000000000000',
      return_value_hex_data: '',
    });
  });

  it('decodes a return value if there is one', () => {
    const action = makeAction();
    const render = (returnValue: Buffer): object =>
      renderActionTrace(action, makeTrace({ returnValue }), renderAct(action, undefined), CONTEXT, decoder);
    expect(render(Buffer.from([1]))).toMatchObject({ return_value_hex_data: '01', return_value_data: null });
    expect(render(Buffer.alloc(0))).not.toHaveProperty('return_value_data');
  });
});
