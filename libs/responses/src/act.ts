import type { AbiDecoder, DecodeAllowance } from '@antelope-history/abi';
import { stringifyJson, writeArray, writeHex } from '@antelope-history/json';
import type { PermissionLevel } from '@antelope-history/records';

/** The fields of an action that its JSON shows. */
export interface ActSource {
  account: string;
  name: string;
  authorization: PermissionLevel[];
  data: Buffer;
}

/** Punctuation, field names, and the names of contract and action. */
const ACT_FRAME_BYTES = 128;
/** Bytes of `{"actor":"","permission":""},` with two names. */
export const AUTHORIZATION_BYTES = 56;
/** Two hex digits per byte, in `data` and in `hex_data`. */
const HEX_BYTES = 4;

/** Upper bound of the JSON bytes of an undecoded action. */
export function undecodedActBytes({ authorization, data }: ActSource): number {
  return ACT_FRAME_BYTES + AUTHORIZATION_BYTES * authorization.length + HEX_BYTES * data.length;
}

/**
 * Writes an action in the chain's JSON; `data` is the hex of the bytes if there is no decoder, or the ABI does not decode them
 * within the allowance.
 */
export function writeAct(act: ActSource, decoder: AbiDecoder | undefined, allowance?: DecodeAllowance): string {
  const hex = writeHex(act.data);
  return `{${writeActFields(act, writeActData(act, decoder, allowance) ?? hex)},"hex_data":${hex}}`;
}

/** Writes an action as `writeAct` does, but without `hex_data` where `data` shows the hex. */
export function writeActWithHexOnce(
  act: ActSource,
  decoder: AbiDecoder | undefined,
  allowance?: DecodeAllowance,
): string {
  const hex = writeHex(act.data);
  const data = writeActData(act, decoder, allowance) ?? hex;
  return `{${writeActFields(act, data)}${data === hex ? '' : `,"hex_data":${hex}`}}`;
}

/** The decoded data of an action; undefined if there is no decoder, or the ABI does not decode them within the allowance. */
export function writeActData(
  { name, data }: Pick<ActSource, 'name' | 'data'>,
  decoder: AbiDecoder | undefined,
  allowance?: DecodeAllowance,
): string | undefined {
  const decoded = decoder?.decodeAction(name, data, allowance);
  return decoded === undefined ? undefined : stringifyJson(decoded);
}

function writeActFields({ account, name, authorization }: ActSource, data: string): string {
  return `"account":"${account}","name":"${name}","authorization":${writeAuthorization(authorization)},"data":${data}`;
}

/** Writes an action whose data do not fit into the response, with the number of bytes left out. */
export function writeOmittedAct({ account, name, data }: ActSource): string {
  return `{"account":"${account}","name":"${name}","authorization":[],"data":"","hex_data":"","omitted_bytes":${data.length}}`;
}

function writeAuthorization(authorization: readonly PermissionLevel[]): string {
  return writeArray(authorization, ({ actor, permission }) => `{"actor":"${actor}","permission":"${permission}"}`);
}
