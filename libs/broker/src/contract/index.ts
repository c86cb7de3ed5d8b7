export * from './broker-contract';
export * from './broker-under-test';
