import { z } from 'zod';

/** `contract:action.field`; a test compares it with `parseDataField` of libs/data-fields. */
const DATA_FIELD = /^[a-z1-5.]{1,13}:[a-z1-5.]{1,13}\.[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const MAX_DATA_FIELDS = 32;

export const index = z.strictObject({
  data_fields: z
    .array(z.string().regex(DATA_FIELD).meta({ takes: 'a field of action data as contract:action.field' }))
    .max(MAX_DATA_FIELDS)
    .default(['eosio.token:transfer.from', 'eosio.token:transfer.to'])
    .describe(
      'Fields of action data by which get_actions and the stream filter, as `contract:action.field`. A field that is added is ' +
        'indexed from the next block on. All indexers of a store have the same list.',
    ),
});
