import { z } from 'zod';
import { blockTime, hex, id, integer64, name, publicKey, signature } from './chain-types';

/** Fields that extensions add to blocks and transactions; each is present only with its extension. */

/** The legacy form of a schedule, with one key per producer. */
export const producerSchedule = z
  .object({
    version: z.int(),
    producers: z.array(z.object({ producer_name: name, block_signing_key: publicKey })),
  })
  .meta({ id: 'ProducerSchedule' });
export type ProducerScheduleJson = z.output<typeof producerSchedule>;

const producerAuthority = z
  .object({
    producer_name: name,
    authority: z.tuple([
      z.int(),
      z.object({ threshold: z.int(), keys: z.array(z.object({ key: publicKey, weight: z.int() })) }),
    ]),
  })
  .meta({ id: 'ProducerAuthority' });

function orderedDiff<Element extends z.ZodType>(element: Element) {
  return z.object({
    remove_indexes: z.array(z.int()),
    insert_indexes: z.array(z.tuple([z.int(), element])),
  });
}

const finalizerPolicyDiff = z.object({
  generation: z.int(),
  threshold: integer64,
  finalizers_diff: orderedDiff(
    z.object({ description: z.string(), weight: integer64, public_key: z.string().describe('PUB_BLS_…') }),
  ),
});

const proposerPolicyDiff = z.object({
  version: z.int(),
  proposal_time: blockTime,
  producer_auth_diff: orderedDiff(producerAuthority),
});

const qcSignature = z.object({
  strong_votes: z.string().optional(),
  weak_votes: z.string().optional(),
  sig: z.string().describe('SIG_BLS_…'),
});

export const headerExtensions = z
  .object({
    new_protocol_features: z.array(z.object({ feature_digest: id })),
    new_producer_schedule: z.object({ version: z.int(), producers: z.array(producerAuthority) }),
    finality_extension: z.object({
      qc_claim: z.object({ block_num: z.int(), is_strong_qc: z.boolean() }),
      new_finalizer_policy_diff: finalizerPolicyDiff.optional(),
      new_proposer_policy_diff: proposerPolicyDiff.optional(),
    }),
  })
  .partial();

export const blockExtensions = z
  .object({
    additional_signatures: z.array(signature),
    qc_extension: z.object({
      qc: z.object({
        block_num: z.int(),
        active_policy_sig: qcSignature,
        pending_policy_sig: qcSignature.optional(),
      }),
    }),
  })
  .partial();

export const transactionExtensions = z
  .object({
    deferred_transaction_generation: z.object({ sender_trx_id: id, sender_id: z.string(), sender: name }),
  })
  .partial();

/** Packed extensions: a number and hex bytes each. */
export const packedExtensions = z.array(z.tuple([z.int(), hex]));
