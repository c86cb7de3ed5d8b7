import type { AbiDecoder } from '@antelope-history/abi';
import type { PermissionLevel } from '@antelope-history/records';

/** An action as the chain's JSON has it; `data` is the hex of the bytes where no ABI makes anything of them. */
export interface ActJson {
  account: string;
  name: string;
  authorization: PermissionLevel[];
  data: unknown;
  hex_data: string;
}

export function renderAct(
  action: { account: string; name: string; authorization: PermissionLevel[]; data: Buffer },
  decoder: AbiDecoder | undefined,
): ActJson {
  const { account, name, authorization } = action;
  const hex = action.data.toString('hex');
  const decoded = decoder?.decodeAction(name, action.data);
  return { account, name, authorization, data: decoded === undefined ? hex : decoded, hex_data: hex };
}
