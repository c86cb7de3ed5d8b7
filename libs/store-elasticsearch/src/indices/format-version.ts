/** Grows with every change of what documents, ids or mappings mean. */
export const FORMAT_VERSION = 1;
