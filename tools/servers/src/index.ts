/*
 * Clients of the servers are imported by the functions that use them: `npm start` and the commands load this project, but use none of them,
 * and would need a third more processor time to start.
 */
export type { Cluster, ClusterNode } from './clusters/cluster';
export { type ElasticsearchNode, startElasticsearchCluster } from './clusters/elasticsearch-cluster';
export { type RabbitmqCluster, type RabbitmqNode, startRabbitmqCluster } from './clusters/rabbitmq-cluster';
export { type CurlPath, provideCurl } from './processes/curl';
export { createFreshName } from './contents/fresh-name';
export { findFreePorts } from './processes/free-port';
export { createIndexPrefix, type IndexPrefix } from './contents/index-prefix';
export { createKeyPrefix, type KeyPrefix } from './contents/key-prefix';
export { RABBITMQCTL_WITHOUT_SPINNING } from './servers/rabbitmqctl';
export { identify, isRunning, type ProcessIdentity } from './processes/process-identity';
export { startSecuredElasticsearch } from './secured/secured-elasticsearch';
export { startSecuredRabbitmq } from './secured/secured-rabbitmq';
export { startSecuredRedis } from './secured/secured-redis';
export type { SecuredServer } from './secured/secured-server';
export { listContents } from './contents/server-contents';
export { SERVICE_NAMES, type ServiceName } from './service-name';
export { holdServices, releaseServices, type Services } from './services';
export { describeLong, describeWithBrowser, describeWithPrograms, describeWithService } from './test-services';
export { createVhost, type Vhost } from './contents/vhost';
