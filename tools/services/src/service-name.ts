/** The servers of the distributed set. */
export const SERVICE_NAMES = ['elasticsearch', 'rabbitmq', 'redis'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

/** Where the tests' servers are: set by a person, or by what starts them before the tests. */
export const URL_VARIABLES: Record<ServiceName, string> = {
  elasticsearch: 'HISTORY_TEST_ELASTICSEARCH_URL',
  rabbitmq: 'HISTORY_TEST_RABBITMQ_URL',
  redis: 'HISTORY_TEST_REDIS_URL',
};
