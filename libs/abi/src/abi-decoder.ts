import { HistoryError } from '@antelope-history/schemas';
import { parseAbiWithin, type AbiDefinition } from './abi-definition';
import { AbiFootprint } from './abi-footprint';
import { validateAbi } from './abi-validation';
import type { ValueType } from './builtin-types';
import { ByteReader } from './byte-reader';
import type { DecodeAllowance } from './decode-budget';
import { DecodeBudget, DEFAULT_DECODE_LIMITS, type DecodeLimits } from './decode-budget';
import type { JsonValue } from '@antelope-history/json';
import { AbiTypes } from './type-resolver';
import { TypeCompiler } from './type-compiler';

/** Decodes the data of one contract by one version of its ABI, into the node's JSON forms. */
export interface AbiDecoder {
  /**
   * The data of an action; undefined where the node shows hex: no such action, or data that doesn't decode. Also where
   * the request's allowance does not suffice, which it says then.
   */
  decodeAction(name: string, data: Buffer, allowance?: DecodeAllowance): JsonValue | undefined;
  /** What an action returned; undefined where the ABI doesn't type it, it doesn't decode or exceeds the allowance. */
  decodeActionResult(name: string, data: Buffer, allowance?: DecodeAllowance): JsonValue | undefined;
  /** Data of any type; throws DECODE_FAILED with the path of the field that failed. Bytes after it are ignored. */
  decode(type: string, data: Buffer): JsonValue;
}

/** The node's empty ABI packs to four bytes; anything as short means that the contract has none. */
const EMPTY_ABI_BYTES = 4;
/** The scope of a value that stands alone: two around it (abi_serializer.cpp binary_to_variant). */
const OUTERMOST_SCOPE = 3;

/** A binary ABI made ready to decode with. */
export interface BinaryAbi {
  /** Undefined when the ABI is empty or invalid, so that the contract's data is shown as hex. */
  decoder: AbiDecoder | undefined;
  /** The most memory that the decoder ever takes, in bytes: all of its types compiled. */
  memoryBytes: number;
  /** What parsing and checking it took, in the units of `DecodeLimits.maxOutput`. */
  work: number;
}

/**
 * Compiles a binary ABI. One that could take more than `MAX_ABI_MEMORY` is invalid; parsing stops before it is allocated.
 */
export function compileBinaryAbi(bytes: Buffer): BinaryAbi {
  const footprint = new AbiFootprint();
  if (bytes.length <= EMPTY_ABI_BYTES) return { decoder: undefined, ...footprint.total(0) };
  try {
    const definition = parseAbiWithin(bytes, footprint);
    const types = new AbiTypes(definition);
    validateAbi(definition, types, footprint);
    const decoder = new CompiledAbi(definition, types, DEFAULT_DECODE_LIMITS);
    return { decoder, ...footprint.total(bytes.length) };
  } catch (error) {
    // What was parsed of an invalid ABI is not kept.
    const { work } = footprint.total(bytes.length);
    if (error instanceof HistoryError) return { decoder: undefined, memoryBytes: 0, work };
    throw error;
  }
}

/** The decoder of a binary ABI; undefined when it is empty or invalid. */
export function createAbiDecoder(bytes: Buffer): AbiDecoder | undefined {
  return compileBinaryAbi(bytes).decoder;
}

/** Stands for an ABI that a request's budget has no room for: it decodes nothing and tells the allowance so. */
export const ABI_BEYOND_BUDGET: AbiDecoder = {
  decodeAction: (_name, _data, allowance) => exceed(allowance),
  decodeActionResult: (_name, _data, allowance) => exceed(allowance),
  decode() {
    throw new HistoryError('DECODE_FAILED', 'the ABI is beyond the budget of the request');
  },
};

function exceed(allowance: DecodeAllowance | undefined): undefined {
  if (allowance) allowance.exceeded = true;
  return undefined;
}

/**
 * Compiles an ABI into its decoder. Types are compiled when data first needs them, each once: an ABI of thousands of
 * structs with one action in use costs little more than its validation. Throws ABI_INVALID (see `validateAbi`).
 */
export function compileAbi(definition: AbiDefinition, limits?: Partial<DecodeLimits>): AbiDecoder {
  const types = new AbiTypes(definition);
  validateAbi(definition, types, new AbiFootprint());
  return new CompiledAbi(definition, types, { ...DEFAULT_DECODE_LIMITS, ...limits });
}

class CompiledAbi implements AbiDecoder {
  private readonly compiler: TypeCompiler;
  private readonly actionTypes: Map<string, string>;
  private readonly resultTypes: Map<string, string>;

  constructor(
    definition: AbiDefinition,
    types: AbiTypes,
    private readonly limits: DecodeLimits,
  ) {
    this.compiler = new TypeCompiler(types);
    this.actionTypes = new Map(definition.actions.map(({ name, type }) => [name, type]));
    this.resultTypes = new Map(definition.action_results.map(({ name, result_type }) => [name, result_type]));
  }

  decodeAction(name: string, data: Buffer, allowance?: DecodeAllowance): JsonValue | undefined {
    return this.tryDecode(this.actionTypes.get(name), data, allowance);
  }

  decodeActionResult(name: string, data: Buffer, allowance?: DecodeAllowance): JsonValue | undefined {
    return this.tryDecode(this.resultTypes.get(name), data, allowance);
  }

  decode(type: string, data: Buffer): JsonValue {
    const budget = new DecodeBudget(this.limits);
    try {
      return this.run(this.compiler.compile(type), data, budget);
    } catch (error) {
      if (!(error instanceof HistoryError)) throw error;
      throw new HistoryError('DECODE_FAILED', `${pathText(type, budget.path)}: ${error.message}`, { cause: error });
    }
  }

  /** To the node an action whose type is the empty name has none, even if a struct has that name. */
  private tryDecode(type: string | undefined, data: Buffer, allowance?: DecodeAllowance): JsonValue | undefined {
    if (type === undefined || type === '') return undefined;
    const { maxOutput } = this.limits;
    const budget = new DecodeBudget(this.limits, allowance ? Math.min(maxOutput, allowance.left) : maxOutput);
    try {
      return this.run(this.compiler.compile(type), data, budget);
    } catch (error) {
      if (!(error instanceof HistoryError)) throw error;
      if (allowance && budget.isOverdrawn && allowance.left < maxOutput) allowance.exceeded = true;
      return undefined;
    } finally {
      allowance?.settle(budget.spent);
    }
  }

  private run(type: ValueType, data: Buffer, budget: DecodeBudget): JsonValue {
    budget.descend(OUTERMOST_SCOPE);
    budget.spend(type.cost);
    return type.decode(new ByteReader(data), budget);
  }
}

/** "transfer.quantity", "batch.items[3].<pair_t>.first": where in the type a decoding failed. */
function pathText(type: string, path: (string | number)[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`));
  return [type, ...steps.reverse()].join('').slice(0, 256);
}
