import { nameFromString, publicKeyToString, signatureToString } from '@antelope-history/abi';
import { renderBlockExtensions, renderHeaderExtensions, renderTransactionExtensions } from './extensions';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const u16 = (value: number): string => le(BigInt(value), 2);
const u32 = (value: number): string => le(BigInt(value), 4);
const u64 = (value: bigint): string => le(value, 8);
function le(value: bigint, size: number): string {
  return Buffer.from(value.toString(16).padStart(size * 2, '0'), 'hex')
    .reverse()
    .toString('hex');
}

/** Keys and signatures that Spring's own tests use: their texts carry a checksum over the bytes. */
const BLS_KEY =
  'PUB_BLS_JzblSr2sf_UhxQjGxOtHbRCBkHgSB1RG4xUbKKl-fKtUjx6hyOHajnVQT4IvBF4PutlX7JTC14IqIjADlP-3_G2MXRhBlkB57r2u59OCwRQQEDqmVSADf6CoT8zFUXcSgHFw7w';
const BLS_SIGNATURE =
  'SIG_BLS_N5r73_i50OVkydasCVVBOqqAqM4XQo_-DHgNawK77bcf06Bx0_rh5TNn9iZewNMZ6ecyEjs_sEkwjAXplhqyqf7S9FqSt8mfRxO7pE3bUZS0Z-Fxitsh9X0l_-kj3Z8VD8IwsaUwBLacudzShIXA-5E47cEqYoV3bGhANerKuDhZ4Pesm2xotAScK0pcNp0LbTNj0MZpVr0u6kJh169IoeG4ngCvD6uE2EicNrzyvDhu0u925Q1cm5z_bVha-DsANq3zcA';
const blsBytes = (text: string): Buffer => {
  const bytes = Buffer.from(text.slice(8), 'base64url');
  return bytes.subarray(0, bytes.length - 4);
};

const K1_KEY = Buffer.concat([Buffer.from([0, 2]), Buffer.alloc(32, 7)]);
const PRODUCER_AUTHORITY = `${u64(nameFromString('ab'))} 00 ${u32(2)} 01 ${K1_KEY.toString('hex')} ${u16(1)}`;
const PRODUCER_AUTHORITY_JSON = {
  producer_name: 'ab',
  authority: [0, { threshold: 2, keys: [{ key: publicKeyToString(K1_KEY), weight: 1 }] }],
};

const NO_CHANGES = `${u32(9)} 01 00 00`;

describe('renderHeaderExtensions', () => {
  it('adds nothing without extensions and for unknown ones', () => {
    expect(renderHeaderExtensions([])).toEqual({});
    expect(renderHeaderExtensions([{ type: 77, data: hex('00') }])).toEqual({});
  });

  it('shows activated protocol features', () => {
    const digests = ['11'.repeat(32), '22'.repeat(32)];
    expect(renderHeaderExtensions([{ type: 0, data: hex(`02 ${digests.join('')}`) }])).toEqual({
      new_protocol_features: digests.map((feature_digest) => ({ feature_digest })),
    });
  });

  it('shows a new schedule of producers with their authorities', () => {
    expect(renderHeaderExtensions([{ type: 1, data: hex(`${u32(5)} 01 ${PRODUCER_AUTHORITY}`) }])).toEqual({
      new_producer_schedule: { version: 5, producers: [PRODUCER_AUTHORITY_JSON] },
    });
  });

  it('shows the finality claim of a Savanna block without absent optionals', () => {
    expect(renderHeaderExtensions([{ type: 2, data: hex(NO_CHANGES) }])).toEqual({
      finality_extension: { qc_claim: { block_num: 9, is_strong_qc: true } },
    });
  });

  it('shows changes of finalizers and proposers', () => {
    const key = blsBytes(BLS_KEY);
    expect(key).toHaveLength(96);
    const finalizer = `03 ${Buffer.from('one').toString('hex')} ${u64(2n ** 32n)} 60 ${key.toString('hex')}`;
    const finalizers = `01 ${u32(3)} ${u64(15n)} 02 ${u16(0)} ${u16(4)} 01 ${u16(1)} ${finalizer}`;
    const proposers = `01 ${u32(8)} ${u32(1)} 00 01 ${u16(2)} ${PRODUCER_AUTHORITY}`;
    expect(renderHeaderExtensions([{ type: 2, data: hex(`${u32(9)} 00 ${finalizers} ${proposers}`) }])).toEqual({
      finality_extension: {
        qc_claim: { block_num: 9, is_strong_qc: false },
        new_finalizer_policy_diff: {
          generation: 3,
          threshold: 15,
          finalizers_diff: {
            remove_indexes: [0, 4],
            insert_indexes: [[1, { description: 'one', weight: '4294967296', public_key: BLS_KEY }]],
          },
        },
        new_proposer_policy_diff: {
          version: 8,
          proposal_time: '2000-01-01T00:00:00.500',
          producer_auth_diff: { remove_indexes: [], insert_indexes: [[2, PRODUCER_AUTHORITY_JSON]] },
        },
      },
    });
  });

  it('keeps the order of nodeos, and omits data that do not decode', () => {
    const extensions = [
      { type: 2, data: hex(NO_CHANGES) },
      { type: 0, data: hex('00') },
      { type: 1, data: hex('05') },
    ];
    expect(Object.keys(renderHeaderExtensions(extensions))).toEqual(['new_protocol_features', 'finality_extension']);
  });
});

describe('renderBlockExtensions', () => {
  it('shows additional signatures', () => {
    const signature = Buffer.concat([Buffer.from([1]), Buffer.alloc(65, 9)]);
    expect(renderBlockExtensions([{ type: 2, data: hex(`01 ${signature.toString('hex')}`) }])).toEqual({
      additional_signatures: [signatureToString(signature)],
    });
  });

  it('shows a quorum certificate, its votes with the highest finalizer first', () => {
    const signature = blsBytes(BLS_SIGNATURE);
    expect(signature).toHaveLength(192);
    const sig = `c001 ${signature.toString('hex')}`;
    const data = hex(`${u32(8)} 01 0a 07 02 00 ${sig} 01 00 01 03 05 ${sig}`);
    expect(renderBlockExtensions([{ type: 3, data }])).toEqual({
      qc_extension: {
        qc: {
          block_num: 8,
          active_policy_sig: { strong_votes: '1000000111', sig: BLS_SIGNATURE },
          pending_policy_sig: { weak_votes: '101', sig: BLS_SIGNATURE },
        },
      },
    });
  });

  it('omits a certificate with wrong sizes', () => {
    expect(renderBlockExtensions([{ type: 3, data: hex(`${u32(8)} 00 00 02 0102`) }])).toEqual({});
    expect(renderBlockExtensions([{ type: 3, data: hex(`${u32(8)} 01 ffffffff0f 00`) }])).toEqual({});
  });
});

describe('renderTransactionExtensions', () => {
  it('shows the sender of a deferred transaction', () => {
    const data = hex(`${'ab'.repeat(32)} ${u64(1n)} ${u64(1n)} ${u64(nameFromString('ab'))}`);
    expect(renderTransactionExtensions([{ type: 0, data }])).toEqual({
      deferred_transaction_generation: {
        sender_trx_id: 'ab'.repeat(32),
        sender_id: '18446744073709551617',
        sender: 'ab',
      },
    });
  });
});
