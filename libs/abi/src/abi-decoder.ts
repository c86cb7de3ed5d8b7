import { HistoryError } from '@antelope-history/schemas';
import { parseAbiWithin, type AbiDefinition } from './abi-definition';
import { AbiFootprint } from './abi-footprint';
import { validateAbi } from './abi-validation';
import { type ValueType, writeValue } from './builtin-types';
import { ByteReader } from './byte-reader';
import type { DecodeAllowance } from './decode-budget';
import { DecodeBudget, DEFAULT_DECODE_LIMITS, type DecodeLimits } from './decode-budget';
import type { JsonValue, JsonWriter } from '@antelope-history/json';
import { AbiTypes } from './type-resolver';
import { TypeCompiler } from './type-compiler';

/** Decodes the data of one contract with one version of its ABI, to the JSON forms of the node. */
export interface AbiDecoder {
  /**
   * Decodes the data of an action. Returns undefined where the node shows hex (the ABI does not have the action, or the
   * data does not decode), and when the data exceeds `allowance`, whose `exceeded` is then set.
   */
  decodeAction(name: string, data: Buffer, allowance?: DecodeAllowance): JsonValue | undefined;
  /** Writes the JSON of what `decodeAction` returns, in half of the time. Returns false, and writes nothing, where that is undefined. */
  writeAction(out: JsonWriter, name: string, data: Buffer, allowance?: DecodeAllowance): boolean;
  /**
   * Decodes the return value of an action. Returns undefined if the ABI gives it no type, if it does not decode, or if it
   * exceeds `allowance`.
   */
  decodeActionResult(name: string, data: Buffer, allowance?: DecodeAllowance): JsonValue | undefined;
  /** Decodes data of any type and ignores bytes after it. Throws `DECODE_FAILED` with the path of the field that failed. */
  decode(type: string, data: Buffer): JsonValue;
}

/** The node packs an empty ABI to four bytes. An ABI of at most this size means that the contract has no ABI. */
const EMPTY_ABI_BYTES = 4;
/** Scope of the outermost value: the node's decoder enters two scopes before it (abi_serializer.cpp binary_to_variant). */
const OUTERMOST_SCOPE = 3;

/** A compiled binary ABI. */
export interface BinaryAbi {
  /** Undefined when the ABI is empty or invalid; the contract's data is then shown as hex. */
  decoder: AbiDecoder | undefined;
  /** Upper bound of the decoder's memory in bytes, with all types compiled. */
  memoryBytes: number;
  /** Cost of parsing and validation, in the units of `DecodeLimits.maxOutput`. */
  work: number;
}

/**
 * Compiles a binary ABI. An ABI that could need more than `MAX_ABI_MEMORY` is invalid; parsing stops before that memory
 * is allocated.
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
    // The parsed parts of an invalid ABI are dropped, so that it takes no memory.
    const { work } = footprint.total(bytes.length);
    if (error instanceof HistoryError) return { decoder: undefined, memoryBytes: 0, work };
    throw error;
  }
}

/** Returns the decoder of a binary ABI, or undefined if the ABI is empty or invalid. */
export function createAbiDecoder(bytes: Buffer): AbiDecoder | undefined {
  return compileBinaryAbi(bytes).decoder;
}

/** Replaces an ABI that exceeds the budget of a request: decodes nothing and sets `exceeded` of the allowance. */
export const ABI_BEYOND_BUDGET: AbiDecoder = {
  decodeAction: (_name, _data, allowance) => exceed(allowance),
  writeAction(_out, _name, _data, allowance) {
    exceed(allowance);
    return false;
  },
  decodeActionResult: (_name, _data, allowance) => exceed(allowance),
  decode() {
    throw new HistoryError('DECODE_FAILED', 'the ABI exceeds the budget of the request');
  },
};

function exceed(allowance: DecodeAllowance | undefined): undefined {
  if (allowance) allowance.exceeded = true;
  return undefined;
}

/**
 * Compiles an ABI into its decoder. Each type is compiled once, when data first needs it: an ABI with thousands of
 * structs and one action in use costs little more than its validation. Throws `ABI_INVALID` (see `validateAbi`).
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

  writeAction(out: JsonWriter, name: string, data: Buffer, allowance?: DecodeAllowance): boolean {
    const start = out.length;
    const isWritten = this.attempt(this.actionTypes.get(name), allowance, (type, budget) => {
      writeValue(type, out, new ByteReader(data), budget);
      return true;
    });
    if (!isWritten) out.truncate(start);
    return isWritten ?? false;
  }

  decodeActionResult(name: string, data: Buffer, allowance?: DecodeAllowance): JsonValue | undefined {
    return this.tryDecode(this.resultTypes.get(name), data, allowance);
  }

  decode(type: string, data: Buffer): JsonValue {
    const budget = new DecodeBudget(this.limits);
    try {
      const compiled = this.compiler.compile(type);
      enter(compiled, budget);
      return compiled.decode(new ByteReader(data), budget);
    } catch (error) {
      if (!(error instanceof HistoryError)) throw error;
      throw new HistoryError('DECODE_FAILED', `${pathText(type, budget.path)}: ${error.message}`, { cause: error });
    }
  }

  private tryDecode(type: string | undefined, data: Buffer, allowance?: DecodeAllowance): JsonValue | undefined {
    return this.attempt(type, allowance, (compiled, budget) => compiled.decode(new ByteReader(data), budget));
  }

  /**
   * Reads a value within an allowance; undefined where that fails. The node treats an action with an empty type name as an action
   * without a type, even if a struct has that name.
   */
  private attempt<T>(
    type: string | undefined,
    allowance: DecodeAllowance | undefined,
    read: (type: ValueType, budget: DecodeBudget) => T,
  ): T | undefined {
    if (type === undefined || type === '') return undefined;
    const { maxOutput } = this.limits;
    const budget = new DecodeBudget(this.limits, allowance ? Math.min(maxOutput, allowance.left) : maxOutput);
    try {
      const compiled = this.compiler.compile(type);
      enter(compiled, budget);
      return read(compiled, budget);
    } catch (error) {
      if (!(error instanceof HistoryError)) throw error;
      if (allowance && budget.isOverdrawn && allowance.left < maxOutput) allowance.exceeded = true;
      return undefined;
    } finally {
      allowance?.settle(budget.spent);
    }
  }
}

/** Enters the outermost value. */
function enter(type: ValueType, budget: DecodeBudget): void {
  budget.descend(OUTERMOST_SCOPE);
  budget.spend(type.cost);
}

/** The path of the field that failed: "transfer.quantity", "batch.items[3].<pair_t>.first". */
function pathText(type: string, path: (string | number)[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`));
  return [type, ...steps.reverse()].join('').slice(0, 256);
}
