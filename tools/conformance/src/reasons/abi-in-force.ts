import type { AbiDecoder } from '@antelope-history/abi';
import type { JsonObject, JsonValue } from '@antelope-history/json';
import { isSame, type AbiHistory, type Place } from '../abi-history';
import type { Reason } from '../comparison';
import { isObject, valueAt, type Path } from '../difference';
import { fromHex } from '../recorded-block';
import type { RecordedChain } from '../recorded-chain';

/** Where in an answer ABIs are at work, and on what. */
export interface DecodedField {
  account: string;
  place: Place;
  /** What an ABI makes of it; undefined where the answer then has no such field. */
  decode(decoder: AbiDecoder | undefined): JsonValue | undefined;
}

/** `data` of an action, which is the hex where it does not decode. */
export function dataField(act: JsonObject, place: Place): DecodedField {
  const { account, name } = act as { account: string; name: string };
  const hex = hexOf(act);
  return { account, place, decode: (decoder) => decoder?.decodeAction(name, fromHex(hex)) ?? hex };
}

/** `hex_data` of an action of EOSIO 2.0, which shows it beside decoded data only. */
export function hexOfDecodedField(act: JsonObject, place: Place): DecodedField {
  const { account, name } = act as { account: string; name: string };
  const hex = hexOf(act);
  return {
    account,
    place,
    decode: (decoder) => (decoder?.decodeAction(name, fromHex(hex)) === undefined ? undefined : hex),
  };
}

function hexOf({ hex_data, data }: JsonObject): string {
  return (hex_data ?? data) as string;
}

/** Finds the field at a path that an ABI decoded; undefined for all others. */
export type FieldFinder<Context> = (path: Path, ours: JsonValue, context: Context) => DecodedField | undefined;

/**
 * Proof: the recorded text is what `nodesAbi`, the ABI that the node had when it was asked, makes of the bytes, and ours
 * is what the ABI of the action's place in the chain makes of them.
 */
export function abiInForce<Context extends { chain: RecordedChain }>(
  fieldAt: FieldFinder<Context>,
  nodesAbi: (abis: AbiHistory, account: string) => AbiDecoder | undefined = (abis, account) => abis.atEnd(account),
): Reason<Context> {
  return {
    name: 'abi-in-force',
    sentence:
      'Data is decoded with the ABI that the contract had when the action ran; a node decodes with its ABI at the time of the request, its trace plugin with the ABI in its configuration.',
    explains({ path, recorded, ours }, answers, context) {
      const field = fieldAt(path, answers.ours, context);
      if (!field) return false;
      const { abis } = context.chain;
      return (
        isSame(recorded, field.decode(nodesAbi(abis, field.account))) &&
        isSame(ours, field.decode(abis.inForce(field.account, field.place)))
      );
    },
  };
}

/** The object that a path's last key belongs to. */
export function ownerOf(value: JsonValue, path: Path): JsonObject | undefined {
  const owner = valueAt(value, path.slice(0, -1));
  return isObject(owner) ? owner : undefined;
}
