import type { JsonValue } from '@antelope-history/json';
import type { Reason } from '../comparison';
import { isSame } from '../abi-history';
import type { Path } from '../difference';
import { fromHex } from '../recorded-block';
import { abiInForce, ownerOf, type DecodedField } from './abi-in-force';
import type { BlockContext } from './chain-block';
import { producerBlockId } from './producer-block-id';

export interface TraceBlockContext extends BlockContext {
  /** The contracts whose ABIs were in the configuration of the recorded node's trace plugin. */
  configuredAbis: readonly string[];
}

/** Proof: the node had no configured ABI of the contract, and our value is decoded with the contract's ABI in force. */
const paramsOfEveryContract: Reason<TraceBlockContext> = {
  name: 'params-of-every-contract',
  sentence:
    '`params` and `return_data` are decoded for every contract; the trace plugin knows only the ABIs in its configuration (recorded: `eosio`, `eosio.token`, `game`, `types` on Leap, none on EOSIO 2.0).',
  explains({ path, recorded, ours }, responses, context) {
    const field = decodedAt(path, responses.ours, context);
    if (!field || recorded !== undefined || context.configuredAbis.includes(field.account)) return false;
    return isSame(ours, field.decode(context.chain.abis.inForce(field.account, field.position)));
  },
};

/** The ABI files in the configuration were equal to the first ABIs of the contracts. */
const abiOfConfiguration = abiInForce<TraceBlockContext>(
  (path, ours, context) => {
    const field = decodedAt(path, ours, context);
    return field && context.configuredAbis.includes(field.account) ? field : undefined;
  },
  (abis, account) => abis.firstSet(account),
);

export const TRACE_BLOCK_REASONS: readonly Reason<TraceBlockContext>[] = [
  paramsOfEveryContract,
  abiOfConfiguration,
  producerBlockId,
];

/** The field `transactions[i].actions[j].params` or `.return_data`. */
function decodedAt(path: Path, ours: JsonValue, { block }: BlockContext): DecodedField | undefined {
  const key = path.at(-1);
  const action = ownerOf(ours, path) as Record<string, string> | undefined;
  if (!action || (key !== 'params' && key !== 'return_data')) return undefined;
  const { account = '', action: name = '', data = '', return_value: returned = '', global_sequence } = action;
  return {
    account,
    position: { blockNum: block.num, sequence: Number(global_sequence) },
    decode: (decoder) =>
      key === 'params'
        ? decoder?.decodeAction(name, fromHex(data))
        : decoder?.decodeActionResult(name, fromHex(returned)),
  };
}
