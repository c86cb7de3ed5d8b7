import type { AbiDecoder, DecodeAllowance } from '@antelope-history/abi';
import type { PermissionLevel } from '@antelope-history/records';

/** An action as the chain's JSON has it; `data` is the hex of the bytes where no ABI makes anything of them. */
export interface ActJson {
  account: string;
  name: string;
  authorization: PermissionLevel[];
  data: unknown;
  hex_data: string;
  omitted_bytes?: number;
}

/** What of an action its JSON is made of. */
export interface ActSource {
  account: string;
  name: string;
  authorization: PermissionLevel[];
  data: Buffer;
}

/** Braces, names and the contract's and the action's name. */
const ACT_FRAME_BYTES = 128;
/** `{"actor":"","permission":""},` and two names. */
export const AUTHORIZATION_BYTES = 56;
/** Two hex digits a byte, twice. */
const HEX_BYTES = 4;

/** The most bytes that an action takes undecoded. */
export function undecodedActBytes({ authorization, data }: ActSource): number {
  return ACT_FRAME_BYTES + AUTHORIZATION_BYTES * authorization.length + HEX_BYTES * data.length;
}

/** Decodes the data where there is a decoder and the allowance suffices. */
export function renderAct(act: ActSource, decoder: AbiDecoder | undefined, allowance?: DecodeAllowance): ActJson {
  const { account, name, authorization } = act;
  const hex = act.data.toString('hex');
  const decoded = decoder?.decodeAction(name, act.data, allowance);
  return { account, name, authorization, data: decoded === undefined ? hex : decoded, hex_data: hex };
}

/** An action whose bytes do not fit into the response: it says how many were left out. */
export function renderOmittedAct({ account, name, data }: ActSource): ActJson {
  return { account, name, authorization: [], data: '', hex_data: '', omitted_bytes: data.length };
}
