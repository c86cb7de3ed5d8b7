import type { ActionRecord, ActionTrace } from '@antelope-history/records';

const NOTHING = Buffer.alloc(0);

/** The trace of a root action without effects. */
export function makeTrace(trace: Partial<ActionTrace> = {}): ActionTrace {
  return {
    ordinal: 1,
    creatorOrdinal: 0,
    closestUnnotifiedAncestorOrdinal: 0,
    receiver: 'eosio.token',
    receipt: {
      actDigest: 'ab'.repeat(32),
      globalSequence: 10,
      recvSequence: 3n,
      authSequence: [],
      codeSequence: 1,
      abiSequence: 1,
    },
    elapsed: 0n,
    console: NOTHING,
    accountRamDeltas: [],
    except: undefined,
    errorCode: undefined,
    returnValue: NOTHING,
    ...trace,
  };
}

export function makeAction(action: Partial<ActionRecord> = {}): ActionRecord {
  return {
    account: 'eosio.token',
    name: 'transfer',
    authorization: [],
    data: NOTHING,
    contextFree: false,
    traces: [makeTrace()],
    ...action,
  };
}
