import type { AbiDecoder, DecodeAllowance } from '@antelope-history/abi';
import type { JsonWriter } from '@antelope-history/json';
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
export function writeAct(
  out: JsonWriter,
  act: ActSource,
  decoder: AbiDecoder | undefined,
  allowance?: DecodeAllowance,
): void {
  const decoded = decoder?.decodeAction(act.name, act.data, allowance);
  beginAct(out, act);
  if (decoded === undefined) out.hex(act.data);
  else out.value(decoded);
  out.raw(',"hex_data":').hex(act.data).raw('}');
}

/** Writes an action as `writeAct` does, but without `hex_data` where `data` shows the hex. */
export function writeActWithHexOnce(
  out: JsonWriter,
  act: ActSource,
  decoder: AbiDecoder | undefined,
  allowance?: DecodeAllowance,
): void {
  const decoded = decoder?.decodeAction(act.name, act.data, allowance);
  beginAct(out, act);
  if (decoded === undefined || decoded === act.data.toString('hex')) out.hex(act.data);
  else out.value(decoded).raw(',"hex_data":').hex(act.data);
  out.raw('}');
}

/** Writes an action whose data do not fit into the response, with the number of bytes left out. */
export function writeOmittedAct(out: JsonWriter, { account, name, data }: ActSource): void {
  beginAct(out, { account, name, authorization: [] });
  out.raw(`"","hex_data":"","omitted_bytes":${data.length}}`);
}

/** Writes an action up to its data. */
function beginAct(out: JsonWriter, { account, name, authorization }: Omit<ActSource, 'data'>): void {
  out.raw('{"account":"').raw(account).raw('","name":"').raw(name).raw('","authorization":');
  out.array(authorization, ({ actor, permission }) =>
    out.raw('{"actor":"').raw(actor).raw('","permission":"').raw(permission).raw('"}'),
  );
  out.raw(',"data":');
}
