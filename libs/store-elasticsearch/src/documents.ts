export { documentsOf, type NewDocument } from './write/block-documents';
