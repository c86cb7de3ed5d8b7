import { unsupported } from './layout-bounds';
import type { FieldReader, LayoutCompiler, Read } from './layout-compiler';

/**
 * The prunable data of a transaction, which EOSIO 2.1 stores separately (libraries/chain/include/eosio/chain/block.hpp,
 * `prunable_data_type`). Numbers are offsets into the message; -1 = absent, because pruned or stored in another form.
 */
export class PrunableView {
  /** Name of the variant's alternative in the node's ABI. */
  alternative = '';
  /** A packed `signature[]`. */
  signaturesAt = -1;
  signaturesEnd = -1;
  /** The context-free data as packed `bytes`, like in the plain layout. */
  contextFreeAt = -1;
  contextFreeEnd = -1;
}

/** Compiles the reader of a type of prunable data: a variant, or a struct whose only field is a variant. */
export function compilePrunableData(layouts: LayoutCompiler, typeName: string): Read<PrunableView> {
  const fields = layouts.fieldsOf(typeName);
  if (!fields) return layouts.variant(typeName, (type) => compileAlternative(layouts, type));
  const [inner, ...others] = fields.values();
  if (inner === undefined || others.length > 0) throw unsupported(`${typeName} is not a struct of one field`);
  return compilePrunableData(layouts, inner);
}

function compileAlternative(layouts: LayoutCompiler, type: string): Read<PrunableView> {
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
      // The name of the field in releases before 2.1.0.
      packed_context_segments: contextFree,
    },
    ['signatures', 'packed_context_free_data', 'packed_context_segments'],
  );
  return (reader, view) => {
    view.alternative = type;
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
