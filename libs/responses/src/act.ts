import type { AbiDecoder, DecodeAllowance } from '@antelope-history/abi';
import { jsonText, type JsonWriter } from '@antelope-history/json';
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
const AUTHORIZATION_BYTES = 56;
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
export function writeAct(
  out: JsonWriter,
  act: ActSource,
  decoder: AbiDecoder | undefined,
  allowance?: DecodeAllowance,
): void {
  beginAct(out, act);
  writeData(out, act, decoder, allowance);
  out.bytes(HEX_DATA).hex(act.data).raw('}');
}

/** Writes an action as `writeAct` does, but with `hex_data` only beside decoded data (EOSIO 2.0 abi_serializer.hpp, add). */
export function writeActWithHexIfDecoded(
  out: JsonWriter,
  act: ActSource,
  decoder: AbiDecoder | undefined,
  allowance?: DecodeAllowance,
): void {
  beginAct(out, act);
  const isDecoded = writeData(out, act, decoder, allowance);
  if (isDecoded) out.bytes(HEX_DATA).hex(act.data);
  out.raw('}');
}

/** Writes the decoded data or their hex; returns whether they are decoded. */
function writeData(
  out: JsonWriter,
  { name, data }: ActSource,
  decoder: AbiDecoder | undefined,
  allowance?: DecodeAllowance,
): boolean {
  if (decoder?.writeAction(out, name, data, allowance)) return true;
  out.hex(data);
  return false;
}

/** Writes an action whose data do not fit into the response, with the number of bytes left out. */
export function writeOmittedAct(out: JsonWriter, { account, name, data }: ActSource): void {
  beginAct(out, { account, name, authorization: [] });
  out.raw(`"","hex_data":"","omitted_bytes":${data.length}}`);
}

const ACCOUNT = jsonText('{"account":"');
const NAME = jsonText('","name":"');
const AUTHORIZATION = jsonText('","authorization":');
const ACTOR = jsonText('{"actor":"');
const PERMISSION = jsonText('","permission":"');
const DATA = jsonText(',"data":');
const HEX_DATA = jsonText(',"hex_data":');

/** Writes an action up to its data. */
function beginAct(out: JsonWriter, { account, name, authorization }: Omit<ActSource, 'data'>): void {
  out.bytes(ACCOUNT).raw(account).bytes(NAME).raw(name).bytes(AUTHORIZATION);
  out.array(authorization, ({ actor, permission }) =>
    out.bytes(ACTOR).raw(actor).bytes(PERMISSION).raw(permission).raw('"}'),
  );
  out.bytes(DATA);
}
