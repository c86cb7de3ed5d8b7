import { rabbitmqctl } from '../servers/rabbitmqctl';
import type { Service } from '../servers/server-programs';
import type { ServiceName } from '../service-name';
import type { Services } from '../services';

const ANSWER_LIMIT_MS = 30_000;

const LIST: Record<ServiceName, (service: Service) => Promise<string[]>> = {
  async elasticsearch({ url }) {
    const indices = await read<{ index: string }[]>(`${url}/_cat/indices?h=index&format=json&expand_wildcards=all`);
    const templates = await read<{ index_templates: { name: string }[] }>(`${url}/_index_template`);
    return [
      ...indices.map(({ index }) => `index ${index}`),
      ...templates.index_templates.map(({ name }) => `index template ${name}`),
    ];
  },

  async rabbitmq({ rabbitmqctl: ctl }) {
    if (!ctl) return [];
    const list = async (command: string, what: string): Promise<string[]> => {
      const rows = JSON.parse(await rabbitmqctl(ctl, [command, '--formatter', 'json'])) as Record<string, string>[];
      return rows.map((row) => `${what} ${row['name'] ?? row['user'] ?? ''}`);
    };
    return [...(await list('list_vhosts', 'virtual host')), ...(await list('list_users', 'RabbitMQ user'))];
  },

  async redis({ url }) {
    const { createClient } = await import('redis');
    const client = createClient({ url, socket: { connectTimeout: ANSWER_LIMIT_MS, reconnectStrategy: false } });
    client.on('error', () => undefined);
    await client.connect();
    try {
      const keys: string[] = [];
      for await (const some of client.scanIterator({ COUNT: 1000 })) keys.push(...some);
      return keys.map((key) => `Redis key ${key}`);
    } finally {
      client.destroy();
    }
  },
};

/** The names of all indices, templates, virtual hosts, users and keys on the servers. */
export async function listContents({ available }: Services): Promise<string[]> {
  const lists = await Promise.all([...available].map(([name, service]) => LIST[name](service)));
  return lists.flat();
}

async function read<Answer>(url: string): Promise<Answer> {
  const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
  return (await response.json()) as Answer;
}
