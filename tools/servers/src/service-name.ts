/** The servers of the distributed set. */
export const SERVICE_NAMES = ['elasticsearch', 'rabbitmq', 'redis'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

/** The URLs of the test servers: set by a user, or by Jest's global set-up. */
export const URL_VARIABLES: Record<ServiceName, string> = {
  elasticsearch: 'HISTORY_TEST_ELASTICSEARCH_URL',
  rabbitmq: 'HISTORY_TEST_RABBITMQ_URL',
  redis: 'HISTORY_TEST_REDIS_URL',
};
