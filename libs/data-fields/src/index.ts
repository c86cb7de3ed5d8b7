export { BlockData } from './block-data';
export { type DataField, DataFields, parseDataField } from './data-field';
export { dataText, type DataValue, valuesOf } from './data-value';
