import { randomUUID } from 'node:crypto';
import { createClient } from 'redis';
import { runKeyValueContract } from '@antelope-history/key-value/contract';
import { describeWithService } from '@antelope-history/servers';
import { openRedisKeyValue } from '../src';

describeWithService(['redis'], (url) => {
  const keyPrefix = `test-${randomUUID()}`;

  runKeyValueContract({
    name: 'Redis',
    open: () => openRedisKeyValue({ url, keyPrefix }, (error) => expect(error).toBeUndefined()),
  });

  afterAll(async () => {
    const client = await createClient({ url }).connect();
    for await (const keys of client.scanIterator({ MATCH: `${keyPrefix}:*`, COUNT: 1_000 })) {
      if (keys.length > 0) await client.del(keys);
    }
    await client.close();
  });
});
