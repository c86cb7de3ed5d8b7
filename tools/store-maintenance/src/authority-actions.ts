import { readName, type ByteReader } from '@antelope-history/abi';
import type { ActionRecord, Authority, PermissionChange } from '@antelope-history/records';
import { readArray, SenderReader } from '@antelope-history/ship';

/** The account whose actions the chain implements natively (nodeos config::system_account_name). */
const SYSTEM_ACCOUNT = 'eosio';

/** Whether the chain itself executed an action: the one of the system account, received by it. */
function isNative({ account, traces }: ActionRecord): boolean {
  return account === SYSTEM_ACCOUNT && traces[0]?.receiver === SYSTEM_ACCOUNT;
}

/** The ABI that a native `setabi` sets; undefined for other actions. */
export function readSetAbi(action: ActionRecord): { account: string; abi: Buffer } | undefined {
  if (action.name !== 'setabi' || !isNative(action)) return undefined;
  const reader = new SenderReader(action.data);
  return { account: takeName(reader), abi: reader.lengthPrefixed() };
}

/**
 * The permissions that an action sets or removes. Of the native actions only these three change permissions; `linkauth` changes
 * which of them an action needs. Layouts: nodeos libraries/chain/include/eosio/chain/contract_types.hpp. Bytes after the
 * fields are ignored, as nodeos does. Throws `DECODE_FAILED`.
 */
export function permissionChangesOf(action: ActionRecord): PermissionChange[] {
  if (!isNative(action)) return [];
  const reader = new SenderReader(action.data);
  switch (action.name) {
    case 'newaccount': {
      reader.skip(8); // The creator.
      const owner = takeName(reader);
      return ['owner', 'active'].map((name) => ({ owner, name, authority: readAuthority(reader) }));
    }
    case 'updateauth': {
      const owner = takeName(reader);
      const name = takeName(reader);
      reader.skip(8); // The parent permission.
      return [{ owner, name, authority: readAuthority(reader) }];
    }
    case 'deleteauth':
      return [{ owner: takeName(reader), name: takeName(reader), authority: undefined }];
    default:
      return [];
  }
}

/** Threshold u32, weighted keys, weighted permissions, weighted waits (nodeos authority.hpp). */
function readAuthority(reader: ByteReader): Authority {
  reader.skip(4);
  const keys = readArray(reader, () => {
    const key = readKey(reader);
    reader.skip(2);
    return key;
  });
  const actors = readArray(reader, () => {
    const actor = takeName(reader);
    reader.skip(10);
    return actor;
  });
  readArray(reader, () => reader.skip(6));
  return { keys, actors };
}

const KEY_BYTES = 33;
const WEBAUTHN = 2;

/** A key in canonical form: senders may pack its type and lengths in more bytes than needed. */
function readKey(reader: ByteReader): Buffer {
  const type = reader.varuint32();
  const point = reader.slice(KEY_BYTES);
  if (type !== WEBAUTHN) return Buffer.concat([Buffer.from([type]), point]);
  const presence = reader.slice(1);
  const site = reader.lengthPrefixed();
  return Buffer.concat([Buffer.from([type]), point, presence, packLength(site.length), site]);
}

function packLength(length: number): Buffer {
  const bytes: number[] = [];
  let rest = length;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}

function takeName(reader: ByteReader): string {
  const at = reader.offset;
  reader.skip(8);
  return readName(reader.bytes, at);
}
