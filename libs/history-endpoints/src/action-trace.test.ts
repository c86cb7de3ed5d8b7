import type { AbiDecoder } from '@antelope-history/abi';
import type { ActionRecord, ActionTrace } from '@antelope-history/records';
import { JsonWriter } from '@antelope-history/json';
import { writeAct } from '@antelope-history/responses';
import type { ActionTraceJson } from '@antelope-history/schemas';
import { makeAction, makeTrace } from '@antelope-history/endpoint-testing';
import { BlockContext, writeActionTrace } from './action-trace';

const CONTEXT = { transactionId: '11'.repeat(32), block: new BlockContext(7, '22'.repeat(32), 0) };

function write(action: ActionRecord, trace: ActionTrace, decoder?: AbiDecoder): ActionTraceJson {
  const out = new JsonWriter();
  writeActionTrace(out, action, trace, () => writeAct(out, action, undefined), CONTEXT, decoder);
  return JSON.parse(String(out.copyFrom(0))) as ActionTraceJson;
}

const decoder: AbiDecoder = {
  decodeAction: () => null,
  writeAction: (out) => Boolean(out.value(null)),
  decodeActionResult: () => null,
  decode: () => null,
};

describe('writeActionTrace', () => {
  it('omits console bytes that are not UTF-8, as nodeos does', () => {
    const trace = makeTrace({ console: Buffer.from([0x61, 0xff, 0xc3, 0xa4, 0xc3]) });
    const action = makeAction({ traces: [trace] });
    expect(write(action, trace).console).toBe('aä');
  });

  it('shows the optional fields of a trace by the rules of nodeos', () => {
    const trace = makeTrace({
      elapsed: 4294967296n,
      accountRamDeltas: [{ account: 'bob', delta: -240n }],
      except: 'Y',
      errorCode: 10000000000000000000n,
    });
    const action = makeAction({ traces: [trace] });
    expect(write(action, trace)).toMatchObject({
      elapsed: '4294967296',
      account_ram_deltas: [{ account: 'bob', delta: -240 }],
      except: 'Y',
      error_code: '10000000000000000000',
      return_value_hex_data: '',
    });
  });

  it('decodes a return value if there is one', () => {
    const action = makeAction();
    const writeReturning = (returnValue: Buffer): object => write(action, makeTrace({ returnValue }), decoder);
    expect(writeReturning(Buffer.from([1]))).toMatchObject({ return_value_hex_data: '01', return_value_data: null });
    expect(writeReturning(Buffer.alloc(0))).not.toHaveProperty('return_value_data');
  });
});
