import type { AbiDecoder } from '@antelope-history/abi';
import type { JsonObject, JsonValue } from '@antelope-history/json';
import { isSame, type AbiHistory, type ActionPosition } from '../abi-history';
import type { Reason } from '../comparison';
import { isObject, valueAt, type Path } from '../difference';
import { fromHex } from '../recorded-block';
import type { RecordedChain } from '../recorded-chain';

/** A field of a response that an ABI decodes. */
export interface DecodedField {
  account: string;
  position: ActionPosition;
  /** The value under an ABI; undefined when the response has no such field under this ABI. */
  decode(decoder: AbiDecoder | undefined): JsonValue | undefined;
}

/** `data` of an action: hex when decoding fails. */
export function dataField(act: JsonObject, position: ActionPosition): DecodedField {
  const { account, name } = act as { account: string; name: string };
  const hex = hexOf(act);
  return { account, position, decode: (decoder) => decoder?.decodeAction(name, fromHex(hex)) ?? hex };
}

/** `hex_data` of an action of EOSIO 2.0, which is only present when `data` is decoded. */
export function hexOfDecodedField(act: JsonObject, position: ActionPosition): DecodedField {
  const { account, name } = act as { account: string; name: string };
  const hex = hexOf(act);
  return {
    account,
    position,
    decode: (decoder) => (decoder?.decodeAction(name, fromHex(hex)) === undefined ? undefined : hex),
  };
}

function hexOf({ hex_data, data }: JsonObject): string {
  return (hex_data ?? data) as string;
}

/** Returns the decoded field at a path; undefined for other fields. */
export type FieldFinder<Context> = (path: Path, ours: JsonValue, context: Context) => DecodedField | undefined;

/**
 * Proof: the recorded value is the bytes decoded with `nodesAbi`, the node's ABI at the time of the request; our value is
 * the bytes decoded with the ABI in force at the action's position.
 */
export function abiInForce<Context extends { chain: RecordedChain }>(
  fieldAt: FieldFinder<Context>,
  nodesAbi: (abis: AbiHistory, account: string) => AbiDecoder | undefined = (abis, account) => abis.atEnd(account),
): Reason<Context> {
  return {
    name: 'abi-in-force',
    sentence:
      'Data is decoded with the ABI that the contract had when the action ran; a node decodes with its ABI at the time of the request, and its trace plugin with the ABI in its configuration.',
    explains({ path, recorded, ours }, responses, context) {
      const field = fieldAt(path, responses.ours, context);
      if (!field) return false;
      const { abis } = context.chain;
      return (
        isSame(recorded, field.decode(nodesAbi(abis, field.account))) &&
        isSame(ours, field.decode(abis.inForce(field.account, field.position)))
      );
    },
  };
}

/** The object that has the last key of a path. */
export function ownerOf(value: JsonValue, path: Path): JsonObject | undefined {
  const owner = valueAt(value, path.slice(0, -1));
  return isObject(owner) ? owner : undefined;
}
