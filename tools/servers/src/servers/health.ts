import { once } from 'node:events';
import { connect } from 'node:net';
import type { ServiceName } from '../service-name';

const ANSWER_LIMIT_MS = 5_000;

/** Each rejects unless the server at the URL serves the user of the URL. */
export const checkHealth: Record<ServiceName, (url: string) => Promise<void>> = {
  async elasticsearch(url) {
    const at = `${url}/_cluster/health?wait_for_status=yellow&timeout=${ANSWER_LIMIT_MS}ms`;
    const response = await fetch(at, { signal: AbortSignal.timeout(2 * ANSWER_LIMIT_MS) });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`Elasticsearch answers ${response.status}`);
  },

  async rabbitmq(url) {
    const { connect: connectAmqp } = await import('amqplib');
    const connection = await connectAmqp(url, { timeout: ANSWER_LIMIT_MS });
    connection.on('error', () => undefined);
    await connection.close();
  },

  async redis(url) {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port || 6379), timeout: ANSWER_LIMIT_MS });
    try {
      socket.on('timeout', () => socket.destroy(new Error('Redis does not answer')));
      socket.write('PING\r\n');
      const [answer] = (await once(socket, 'data')) as [Buffer];
      if (!answer.toString().startsWith('+PONG')) throw new Error('Redis does not let us in');
    } finally {
      socket.destroy();
    }
  },
};
