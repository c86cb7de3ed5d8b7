export * from './provable-records';
export * from './prove-block';
