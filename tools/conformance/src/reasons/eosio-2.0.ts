import type { Reason } from '../comparison';
import { ownerOf } from './abi-in-force';

/** The service sends the fields of Leap for chains of every node version. */

/** See abi_serializer.hpp: lines 411-444 of EOSIO 2.0, lines 472-509 of Leap. */
export const hexDataAlways: Reason<unknown> = {
  name: 'hex-data-always',
  sentence:
    'Actions of the history endpoints always have `hex_data`, as on Leap; EOSIO 2.0 leaves it out if it could not decode `data`.',
  explains({ path, recorded, ours }, responses) {
    const undecoded = ownerOf(responses.recorded, path)?.['data'];
    return path.at(-1) === 'hex_data' && recorded === undefined && ours !== undefined && ours === undecoded;
  },
};

/** Actions have no return value on EOSIO 2.0, so only the empty value is correct. */
export const returnValueAlways: Reason<unknown> = {
  name: 'return-value-always',
  sentence:
    'Actions of the history endpoints always have `return_value_hex_data`, as on Leap; on EOSIO 2.0 actions return nothing and the field is absent.',
  explains({ path, recorded, ours }) {
    const isReturnValue = path.at(-1) === 'return_value' || path.at(-1) === 'return_value_hex_data';
    return isReturnValue && recorded === undefined && ours === '';
  },
};
