import type { Client } from '@elastic/elasticsearch';
import { MAPPING_VERSION } from '../indices/format-version';
import { IndexNames } from '../indices/index-names';
import { IndexProvisioner } from './index-provisioner';

/** A server without aliases, which has the indices that were created and not deleted. */
class Indices {
  readonly existing = new Set<string>();

  get client(): Client {
    const indices = {
      create: async ({ index }: { index: string }) => void this.existing.add(index),
      getMapping: ({ index }: { index: string }) =>
        Promise.resolve({ [index]: { mappings: { _meta: { format_version: MAPPING_VERSION } } } }),
    };
    return { indices } as unknown as Client;
  }
}

describe('the indices that are created', () => {
  it('include one of the directory that was deleted since it was created', async () => {
    const names = new IndexNames('test');
    const server = new Indices();
    const settings = { replicas: 0, catchUpReplicas: 0, layout: 'doc-values' } as const;
    const provisioner = new IndexProvisioner(server.client, names, settings);
    const index = names.directory(0, 0);
    await provisioner.ensureDirectory(index);
    server.existing.delete(index);
    await provisioner.ensureDirectory(index);
    expect([...server.existing]).toEqual([index]);
  });
});
