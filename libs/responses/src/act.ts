import type { AbiDecoder, DecodeAllowance } from '@antelope-history/abi';
import type { PermissionLevel } from '@antelope-history/records';

/** An action in the chain's JSON; `data` is the hex of the bytes if no ABI decodes them. */
export interface ActJson {
  account: string;
  name: string;
  authorization: PermissionLevel[];
  data: unknown;
  hex_data: string;
  omitted_bytes?: number;
}

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

/** Renders an action; its data are decoded if there is a decoder and the allowance suffices. */
export function renderAct(act: ActSource, decoder: AbiDecoder | undefined, allowance?: DecodeAllowance): ActJson {
  const { account, name, authorization } = act;
  const hex = act.data.toString('hex');
  const decoded = decoder?.decodeAction(name, act.data, allowance);
  return { account, name, authorization, data: decoded === undefined ? hex : decoded, hex_data: hex };
}

/** Renders an action whose data do not fit into the response, with the number of bytes left out. */
export function renderOmittedAct({ account, name, data }: ActSource): ActJson {
  return { account, name, authorization: [], data: '', hex_data: '', omitted_bytes: data.length };
}
