/** The number and the id of a block. */
export interface BlockPosition {
  num: number;
  /** 64 lowercase hex digits. */
  id: string;
}
