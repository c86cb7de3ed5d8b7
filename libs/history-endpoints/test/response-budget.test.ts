import type { AbiDecoder } from '@antelope-history/abi';
import {
  blockAt,
  makeAction,
  makeDecoders,
  makeTrace,
  readRecordedChain,
  received,
  runSteps,
  storedBlockOf,
} from '@antelope-history/endpoint-testing';
import type { GetActionsResponse, GetTransactionResponse } from '@antelope-history/history-routes';
import type { ActionRecord } from '@antelope-history/records';
import { type AbiDecoders, ResponseBudget } from '@antelope-history/responses';
import type { ChainStatus, StoredAction, StoredTransaction } from '@antelope-history/store';
import { renderActions } from '../src/get-actions-response';
import { renderTransaction } from '../src/get-transaction-response';

const MIB = 1024 * 1024;
const MAX_BYTES = 32 * MIB;
const STATUS: ChainStatus = {
  chainId: undefined,
  firstBlockNum: 1,
  committed: undefined,
  head: undefined,
  lastIrreversible: undefined,
  committedTimestamp: undefined,
  dataFields: {},
  revision: 1,
};

const act = (data: Buffer, parts: Partial<ActionRecord> = {}): ActionRecord =>
  makeAction({ name: 'a', data, ...parts });

/** Traces of an action: the contract's own one, then notifications. */
const tracesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const trace = makeTrace({ ordinal: index + 1, receiver: index === 0 ? 'eosio.token' : 'bob' });
    return { ...trace, receipt: { ...trace.receipt, globalSequence: 10 + index } };
  });

function rowsOf(actions: ActionRecord[]): StoredAction[] {
  const place = { transactionId: '11'.repeat(32), blockNum: 7, blockId: '22'.repeat(32), blockTimestamp: 1 };
  return actions.map((action) => ({ action, ...place }));
}

const pageOf = (actions: ActionRecord[], decoders: AbiDecoders) =>
  received<GetActionsResponse>(
    runSteps(
      renderActions({ status: STATUS, rows: rowsOf(actions), more: false }, undefined, decoders, new ResponseBudget()),
    ),
  );

describe('a page of get_actions', () => {
  it.each([
    ['a field name of 65 KB in each element', 'n'.repeat(65_000), 64],
    ['a name of control characters, each six characters when escaped', '\u0001'.repeat(65_000), 64],
  ])('ends within 32 MiB: %s', (_, name, count) => {
    const decoders = makeDecoders('list', 'uint8[]');
    const inner = makeDecoders(name, 'uint8');
    const decoder: AbiDecoder = {
      ...(decoders.at('x', 1, 1) as AbiDecoder),
      writeAction(out, action, data, allowance) {
        const values = [...data].map((byte) => inner.at('x', 1, 1)?.decodeAction(action, Buffer.of(byte), allowance));
        if (!values.every((value) => value !== undefined)) return false;
        out.value(values);
        return true;
      },
    };
    const { body, bytes } = pageOf(
      Array.from({ length: 1000 }, () => act(Buffer.alloc(count, 7))),
      { at: () => decoder },
    );
    expect(bytes).toBeLessThan(MAX_BYTES);
    expect(body.more).toBe(true);
    expect(body.actions.length).toBeGreaterThan(0);
    expect(body.actions.every(({ action_trace }) => Array.isArray(action_trace.act.data))).toBe(true);
  });

  it('has at least one row, undecoded if the allowance does not suffice', () => {
    const budget = new ResponseBudget({ bytes: MAX_BYTES, work: 10, abiWork: 0, abiMemoryBytes: 0 });
    const page = { status: STATUS, rows: rowsOf([act(Buffer.from('0161', 'hex')), act(Buffer.alloc(1))]), more: false };
    const { body } = received<GetActionsResponse>(
      runSteps(renderActions(page, undefined, makeDecoders('text', 'string'), budget)),
    );
    expect(body.actions.map(({ action_trace }) => action_trace.act.data)).toEqual(['0161']);
    expect(body.more).toBe(true);
  });

  /** Decodes the data of each action as a text of this many characters per byte. */
  const decodersTo = (charactersPerByte: number): AbiDecoders => {
    const decoder: AbiDecoder = {
      ...(makeDecoders('x', 'uint8').at('x', 1, 1) as AbiDecoder),
      writeAction(out, _action, data, allowance) {
        const text = 'y'.repeat(charactersPerByte * data.length);
        allowance?.settle(text.length);
        out.value(text);
        return true;
      },
    };
    return { at: () => decoder };
  };

  it('ends before the row that was written and does not fit', () => {
    const rows = Array.from({ length: 5 }, () => act(Buffer.alloc(1024)));
    const { body, bytes } = pageOf(rows, decodersTo(10 * 1024));
    expect(body.actions.map(({ action_trace }) => String(action_trace.act.data).length)).toEqual(
      Array(3).fill(10 * MIB),
    );
    expect([body.more, bytes < MAX_BYTES]).toEqual([true, true]);
  });

  it('counts the bytes of a first row that fits only undecoded', () => {
    const rows = [act(Buffer.alloc(6 * MIB)), act(Buffer.alloc(1.5 * MIB))];
    const { body, bytes } = pageOf(rows, decodersTo(5));
    expect(body.actions.map(({ action_trace }) => String(action_trace.act.data).length)).toEqual([12 * MIB]);
    expect([body.more, bytes < MAX_BYTES]).toEqual([true, true]);
  });

  it('shows a row that does not fit without its bytes, and with their number', () => {
    const huge = act(Buffer.alloc(9 * MIB), { traces: [makeTrace({ console: Buffer.alloc(MIB, 1) })] });
    const { body, bytes } = pageOf([huge, huge], { at: () => undefined });
    expect(bytes).toBeLessThan(4096);
    expect(body.actions.map(({ action_trace }) => [action_trace.act, action_trace.console])).toEqual([
      [{ account: 'eosio.token', name: 'a', authorization: [], data: '', hex_data: '', omitted_bytes: 9 * MIB }, ''],
    ]);
    expect(body.more).toBe(true);
  });
});

describe('a transaction', () => {
  const chain = readRecordedChain('leap-edge');
  const { block } = storedBlockOf(blockAt(chain, 10));

  const transactionOf = (actions: ActionRecord[]): StoredTransaction =>
    ({
      id: '11'.repeat(32),
      blockNum: 10,
      blockId: '22'.repeat(32),
      blockTimestamp: 1,
      block,
      receiptIndex: -1,
      record: { id: Buffer.alloc(32, 17) },
      actions,
    }) as unknown as StoredTransaction;

  const render = (actions: ActionRecord[], decoders: AbiDecoders) =>
    received<GetTransactionResponse>(
      runSteps(renderTransaction(transactionOf(actions), STATUS, decoders, new ResponseBudget())),
    );

  it('shows 150 notifications of one action, undecoded if they do not fit decoded', () => {
    const data = Buffer.concat([Buffer.from([0x80, 0x80, 0x01]), Buffer.alloc(16_384, 1)]);
    const { body, bytes } = render([act(data, { traces: tracesOf(150) })], makeDecoders('x', 'bool[]'));
    expect(body.traces).toHaveLength(150);
    expect(bytes).toBeLessThan(MAX_BYTES);
    const decoded = body.traces.filter(({ act: shown }) => typeof shown.data === 'object');
    expect(decoded.length).toBe(150);
    const large = render([act(data, { traces: tracesOf(450) })], makeDecoders('x', 'bool[]'));
    expect(large.body.traces.map(({ act: shown }) => shown.hex_data)).toEqual(Array(450).fill(data.toString('hex')));
    expect(large.bytes).toBeLessThan(MAX_BYTES);
  });

  it('omits data that do not fit even in hex, and reports it', () => {
    const data = Buffer.alloc(MIB / 2, 1);
    const { body, bytes } = render([act(data, { traces: tracesOf(100) })], { at: () => undefined });
    expect(bytes).toBeLessThan(MAX_BYTES);
    expect(bytes).toBeGreaterThan(MAX_BYTES / 2);
    const omitted = body.traces.filter(({ act: shown }) => shown.omitted_bytes === data.length);
    const whole = body.traces.filter(({ act: shown }) => shown.hex_data.length === 2 * data.length);
    expect(omitted.length + whole.length).toBe(100);
    expect(whole.length).toBeGreaterThan(10);
  });

  it('omits authorizations that do not fit', () => {
    const authorization = Array.from({ length: 10_000 }, () => ({ actor: 'alice', permission: 'active' }));
    const { body, bytes } = render([act(Buffer.alloc(1), { authorization, traces: tracesOf(250) })], {
      at: () => undefined,
    });
    expect(bytes).toBeLessThan(MAX_BYTES);
    expect(body.traces).toHaveLength(250);
  });
});
