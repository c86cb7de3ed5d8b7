import { unsupported } from './layout-bounds';
import type { FieldReader, LayoutCompiler, Read } from './layout-compiler';

/**
 * What may be pruned of a transaction, which EOSIO 2.1 keeps apart (libraries/chain/include/eosio/chain/block.hpp,
 * `prunable_data_type`). Offsets into the message; -1 = absent: pruned, or kept in another form.
 */
export class PrunableView {
  /** The variant's alternative, by its name in the node's ABI. */
  kind = '';
  /** A packed `signature[]`. */
  signaturesAt = -1;
  signaturesEnd = -1;
  /** The packed `bytes` in which the plain layout has the context-free data. */
  contextFreeAt = -1;
  contextFreeEnd = -1;
}

/** Compiles the reader of prunable data of a type: a variant, or a struct around one. */
export function compilePrunableData(layouts: LayoutCompiler, typeName: string): Read<PrunableView> {
  const fields = layouts.fieldsOf(typeName);
  if (!fields) return layouts.variant(typeName, (type) => compileKind(layouts, type));
  const [inner, ...others] = fields.values();
  if (inner === undefined || others.length > 0) throw unsupported(`${typeName} is not a struct of one field`);
  return compilePrunableData(layouts, inner);
}

function compileKind(layouts: LayoutCompiler, type: string): Read<PrunableView> {
  const contextFree = spanOf('bytes', layouts, (view, at, end) => {
    view.contextFreeAt = at;
    view.contextFreeEnd = end;
  });
  const read = layouts.struct<PrunableView>(
    type,
    {
      signatures: spanOf('signature[]', layouts, (view, at, end) => {
        view.signaturesAt = at;
        view.signaturesEnd = end;
      }),
      packed_context_free_data: contextFree,
      // What the releases before 2.1.0 called it.
      packed_context_segments: contextFree,
    },
    ['signatures', 'packed_context_free_data', 'packed_context_segments'],
  );
  return (reader, view) => {
    view.kind = type;
    read(reader, view);
  };
}

function spanOf(
  type: string,
  layouts: LayoutCompiler,
  assign: (view: PrunableView, at: number, end: number) => void,
): FieldReader<PrunableView> {
  const skip = layouts.skip(type);
  return {
    type,
    read: (reader, view) => {
      const at = reader.offset;
      skip(reader);
      assign(view, at, reader.offset);
    },
  };
}
