export { redisChecks } from './check-redis';
export type { RedisOptions } from './redis-client';
export { openRedisKeyValue } from './redis-key-value';
