import type { Reason } from '../comparison';
import { ownerOf } from './abi-in-force';

/** We answer for all chains as Leap does. */

/** EOSIO 2.0 `abi_serializer.hpp:411-444` against Leap `:472-509`. */
export const hexDataAlways: Reason<unknown> = {
  name: 'hex-data-always',
  sentence:
    'Actions of the history endpoints always have `hex_data`, as on Leap; EOSIO 2.0 leaves it out if it could not decode `data`.',
  explains({ path, recorded, ours }, answers) {
    const undecoded = ownerOf(answers.recorded, path)?.['data'];
    return path.at(-1) === 'hex_data' && recorded === undefined && ours !== undefined && ours === undecoded;
  },
};

/** EOSIO 2.0 contracts return nothing, so the only value that is right is the empty one. */
export const returnValueAlways: Reason<unknown> = {
  name: 'return-value-always',
  sentence:
    'Actions of the history endpoints always have `return_value_hex_data`, as on Leap; on EOSIO 2.0 actions return nothing and the field is absent.',
  explains({ path, recorded, ours }) {
    const isReturnValue = path.at(-1) === 'return_value' || path.at(-1) === 'return_value_hex_data';
    return isReturnValue && recorded === undefined && ours === '';
  },
};
