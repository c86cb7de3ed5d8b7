import { createHash } from 'node:crypto';
import type { Serialize } from 'eosjs';
import { packed, pushUint64 } from './packed-types';

/** The hashes of nodeos, written apart from the service's own code, which is compared with them. */

export function sha256(...parts: Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** The root of nothing. */
export const NO_DIGEST = Buffer.alloc(32);

export type MerkleRoot = (leaves: readonly Buffer[]) => Buffer;

/** Before Savanna (nodeos libraries/chain/merkle.cpp): the first bit of a node says on which side of its pair it is. */
export const canonicalRoot: MerkleRoot = (leaves) => {
  if (leaves.length === 0) return NO_DIGEST;
  let row = [...leaves];
  while (row.length > 1) {
    if (row.length % 2 === 1) row.push(row.at(-1) as Buffer);
    row = pairs(row).map(([left, right]) => {
      const [l, r] = [Buffer.from(left), Buffer.from(right)];
      l.writeUInt8(l.readUInt8(0) & 0x7f, 0);
      r.writeUInt8(r.readUInt8(0) | 0x80, 0);
      return sha256(l, r);
    });
  }
  return row[0] as Buffer;
};

/** Since Savanna (Spring merkle.hpp): the left subtree has the largest power of two of the leaves that leaves a right one. */
export const savannaRoot: MerkleRoot = (leaves) => {
  if (leaves.length === 0) return NO_DIGEST;
  if (leaves.length === 1) return leaves[0] as Buffer;
  let half = 1;
  while (half * 2 < leaves.length) half *= 2;
  return sha256(savannaRoot(leaves.slice(0, half)), savannaRoot(leaves.slice(half)));
};

function pairs(row: readonly Buffer[]): [Buffer, Buffer][] {
  const found: [Buffer, Buffer][] = [];
  for (let index = 0; index < row.length; index += 2) found.push([row[index] as Buffer, row[index + 1] as Buffer]);
  return found;
}

export interface ActContent {
  account: string;
  name: string;
  authorization: { actor: string; permission: string }[];
  data: Buffer;
}

/** The digest of an action with the protocol feature ACTION_RETURN_VALUE (action.hpp, generate_action_digest). */
export function actDigest({ account, name, authorization, data }: ActContent, returnValue: Buffer): Buffer {
  const base = packed((buffer) => {
    buffer.pushName(account);
    buffer.pushName(name);
    buffer.pushVaruint32(authorization.length);
    for (const { actor, permission } of authorization) {
      buffer.pushName(actor);
      buffer.pushName(permission);
    }
  });
  const result = packed((buffer) => {
    buffer.pushBytes(data);
    buffer.pushBytes(returnValue);
  });
  return sha256(sha256(base), sha256(result));
}

export interface ReceiptContent {
  receiver: string;
  actDigest: Buffer;
  globalSequence: number;
  recvSequence: number;
  authSequence: [account: string, sequence: number][];
  codeSequence: number;
  abiSequence: number;
}

function pushCounters(
  buffer: Serialize.SerialBuffer,
  { authSequence, codeSequence, abiSequence }: ReceiptContent,
): void {
  buffer.pushVaruint32(authSequence.length);
  for (const [account, sequence] of authSequence) {
    buffer.pushName(account);
    pushUint64(buffer, sequence);
  }
  buffer.pushVaruint32(codeSequence);
  buffer.pushVaruint32(abiSequence);
}

/** The leaf of a receipt before Savanna: the hash of the packed receipt. */
export function receiptLeaf(receipt: ReceiptContent): Buffer {
  return sha256(
    packed((buffer) => {
      buffer.pushName(receipt.receiver);
      buffer.pushArray(receipt.actDigest);
      pushUint64(buffer, receipt.globalSequence);
      pushUint64(buffer, receipt.recvSequence);
      pushCounters(buffer, receipt);
    }),
  );
}

/** The leaf of a receipt since Savanna (Spring trace.hpp, digest_savanna). */
export function savannaReceiptLeaf(receipt: ReceiptContent, { account, name }: ActContent): Buffer {
  const witness = sha256(
    packed((buffer) => {
      pushUint64(buffer, receipt.globalSequence);
      pushCounters(buffer, receipt);
    }),
  );
  return sha256(
    packed((buffer) => {
      buffer.pushName(receipt.receiver);
      pushUint64(buffer, receipt.recvSequence);
      buffer.pushName(account);
      buffer.pushName(name);
      buffer.pushArray(receipt.actDigest);
      buffer.pushArray(witness);
    }),
  );
}

/** The hash of the header; its first four bytes are the block's number, highest byte first (block_header.cpp, calculate_id). */
export function blockId(num: number, header: Buffer): string {
  return num.toString(16).padStart(8, '0') + sha256(header).toString('hex').slice(8);
}
