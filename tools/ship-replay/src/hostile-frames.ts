/** The fields of a state history ABI frame that attacks change. */
export interface AbiFrame {
  types: { new_type_name: string; type: string }[];
  structs: { name: string; base: string; fields: { name: string; type: string }[] }[];
  variants: { name: string; types: string[] }[];
}

/** A node's ABI frame with a change. */
export function hostileFrame(abi: string, change: (frame: AbiFrame) => void): string {
  const frame = JSON.parse(abi) as AbiFrame;
  change(frame);
  return JSON.stringify(frame);
}
