import { publicKeyToString, readPublicKey, type ByteReader } from '@antelope-history/abi';
import type { ProducerScheduleJson } from '@antelope-history/schemas';
import { readArray, type ProducerSchedule } from '@antelope-history/ship';

/** Producer schedules in the chain's JSON (nodeos libraries/chain/include/eosio/chain/producer_schedule.hpp). */

/** Renders the legacy form of a schedule, with one key per producer. */
export function renderProducerSchedule(schedule: ProducerSchedule): ProducerScheduleJson {
  return {
    version: schedule.version,
    producers: schedule.producers.map(({ name, key }) => ({
      producer_name: name,
      block_signing_key: publicKeyToString(key),
    })),
  };
}

/** Reads a packed `producer_authority_schedule` into its JSON. */
export function readAuthoritySchedule(reader: ByteReader): unknown {
  return { version: reader.uint32(), producers: readArray(reader, readProducerAuthority) };
}

/** Reads a packed `producer_authority` into its JSON; the authority variant has one alternative. */
export function readProducerAuthority(reader: ByteReader): unknown {
  return { producer_name: reader.name(), authority: [reader.varuint32(), readSigningAuthority(reader)] };
}

function readSigningAuthority(reader: ByteReader): unknown {
  return { threshold: reader.uint32(), keys: readArray(reader, readKeyWeight) };
}

function readKeyWeight(reader: ByteReader): unknown {
  return { key: publicKeyToString(readPublicKey(reader)), weight: reader.uint16() };
}
