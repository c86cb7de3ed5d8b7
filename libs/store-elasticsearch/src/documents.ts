export { dataMark } from './indices/data-terms';
export { documentsOf, type NewDocument } from './write/block-documents';
