import { Serialize } from 'eosjs';
import { createHash } from 'node:crypto';
import { sha256 } from './digests';
import { packed, pushUint64 } from './packed-types';

/** What the header of a Savanna block says about finality (Spring finality_extension.hpp). */
export interface FinalityContent {
  claim: { blockNum: number; isStrong: boolean };
  finalizerPolicy: FinalizerPolicyDiff | undefined;
  proposerPolicy: ProposerPolicyDiff | undefined;
}

export interface FinalizerPolicyDiff {
  generation: number;
  threshold: number;
  removed: number[];
  inserted: { index: number; description: string; weight: number; publicKey: Buffer }[];
}

export interface ProposerPolicyDiff {
  version: number;
  /** Half seconds since 2000. */
  proposalSlot: number;
  removed: number[];
  inserted: { index: number; producer: string; key: string; printedKey: string }[];
}

const BLS_KEY_BYTES = 96;
/** The number of the extension in `header_extensions`. */
export const FINALITY_EXTENSION = 2;
/** The flag of a Savanna block in `schedule_version`. */
export const SAVANNA_SCHEDULE = 0x80000000;

/** The key of a finalizer; only its form matters. */
export function finalizerKey(index: number): Buffer {
  const part = sha256(Buffer.from(`finalizer ${index}`));
  return Buffer.concat([part, sha256(part), sha256(part, part)]).subarray(0, BLS_KEY_BYTES);
}

export function packFinality({ claim, finalizerPolicy, proposerPolicy }: FinalityContent): Buffer {
  return packed((buffer) => {
    buffer.pushUint32(claim.blockNum);
    buffer.push(claim.isStrong ? 1 : 0);
    pushOptional(buffer, finalizerPolicy, (diff) => {
      buffer.pushUint32(diff.generation);
      pushUint64(buffer, diff.threshold);
      pushDiff(buffer, diff, ({ description, weight, publicKey }) => {
        buffer.pushString(description);
        pushUint64(buffer, weight);
        buffer.pushBytes(publicKey);
      });
    });
    pushOptional(buffer, proposerPolicy, (diff) => {
      buffer.pushUint32(diff.version);
      buffer.pushUint32(diff.proposalSlot);
      pushDiff(buffer, diff, ({ producer, key }) => {
        buffer.pushName(producer);
        buffer.pushVaruint32(0); // block_signing_authority_v0
        buffer.pushUint32(1); // threshold
        buffer.pushVaruint32(1);
        buffer.pushPublicKey(key);
        buffer.pushUint16(1);
      });
    });
  });
}

function pushOptional<T>(buffer: Serialize.SerialBuffer, value: T | undefined, write: (value: T) => void): void {
  buffer.push(value === undefined ? 0 : 1);
  if (value !== undefined) write(value);
}

function pushDiff<T extends { index: number }>(
  buffer: Serialize.SerialBuffer,
  { removed, inserted }: { removed: number[]; inserted: T[] },
  write: (element: T) => void,
): void {
  buffer.pushVaruint32(removed.length);
  for (const index of removed) buffer.pushUint16(index);
  buffer.pushVaruint32(inserted.length);
  for (const element of inserted) {
    buffer.pushUint16(element.index);
    write(element);
  }
}

/** The extension as the node prints it; absent optionals are left out. */
export function finalityJson({ claim, finalizerPolicy, proposerPolicy }: FinalityContent): object {
  return {
    qc_claim: { block_num: claim.blockNum, is_strong_qc: claim.isStrong },
    ...(finalizerPolicy && {
      new_finalizer_policy_diff: {
        generation: finalizerPolicy.generation,
        threshold: finalizerPolicy.threshold,
        finalizers_diff: {
          remove_indexes: finalizerPolicy.removed,
          insert_indexes: finalizerPolicy.inserted.map(({ index, description, weight, publicKey }) => [
            index,
            { description, weight, public_key: blsKeyText(publicKey) },
          ]),
        },
      },
    }),
    ...(proposerPolicy && {
      new_proposer_policy_diff: {
        version: proposerPolicy.version,
        proposal_time: Serialize.blockTimestampToDate(proposerPolicy.proposalSlot),
        producer_auth_diff: {
          remove_indexes: proposerPolicy.removed,
          insert_indexes: proposerPolicy.inserted.map(({ index, producer, printedKey }) => [
            index,
            { producer_name: producer, authority: [0, { threshold: 1, keys: [{ key: printedKey, weight: 1 }] }] },
          ]),
        },
      },
    }),
  };
}

/** Base64url of the key and of four bytes of its hash (Spring fc/crypto/bls_common.hpp). */
function blsKeyText(key: Buffer): string {
  const checksum = createHash('ripemd160').update(key).digest().subarray(0, 4);
  return `PUB_BLS_${Buffer.concat([key, checksum]).toString('base64url')}`;
}
