import { setTimeout as sleep } from 'node:timers/promises';
import { TOPOLOGY } from '@antelope-history/broker';
import { openBroker } from '@antelope-history/open-broker';
import { HistoryError } from '@antelope-history/schemas';
import { createLogger, loadConfig } from '@antelope-history/app-runtime';
import { createVhost, describeWithService, type Vhost } from '@antelope-history/servers';
import { runDeadLetters } from '../src/dead-letters';
import { startCliIn } from './run-cli';

describe('the dead letters of a broker that is away', () => {
  it('end the command with one line', async () => {
    const nowhere = { HISTORY_BROKER__KIND: 'rabbitmq', HISTORY_BROKER__RABBITMQ__URL: 'amqp://127.0.0.1:1' };
    expect(await startCliIn(nowhere, 'dead-letters').result).toEqual({
      status: 2,
      output: '',
      errors: expect.stringMatching(/^BROKER_UNAVAILABLE: nothing listens at 127\.0\.0\.1:1, .*\n$/),
    });
  }, 40_000);
});

describeWithService(['rabbitmq'], (url = '') => {
  describe('dead letters', () => {
    let vhost: Vhost;
    let environment: Record<string, string>;

    beforeAll(async () => {
      vhost = await createVhost(url);
      environment = {
        HISTORY_BROKER__KIND: 'rabbitmq',
        HISTORY_BROKER__RABBITMQ__URL: vhost.url,
        HISTORY_BROKER__RABBITMQ__VHOST: vhost.vhost,
        HISTORY_BROKER__RABBITMQ__USERNAME: vhost.username,
        HISTORY_BROKER__RABBITMQ__PASSWORD: vhost.password,
        HISTORY_LOG_LEVEL: 'silent',
      };
    });

    afterAll(() => vhost.remove());

    async function run(...args: string[]): Promise<string[]> {
      const lines: string[] = [];
      await runDeadLetters({ args, environment, print: (line) => void lines.push(line) });
      return lines;
    }

    it('are listed with their reasons, and redelivered', async () => {
      const broker = await openBroker(loadConfig(environment).broker, 'many processes', createLogger('test', 'silent'));
      const request = { code: 'BLOCK_GAP', reason: 'for the test' };
      await broker.publish(TOPOLOGY.refetch, request);
      await broker.consume(TOPOLOGY.refetch, (delivery) => {
        delivery.reject(new HistoryError('BLOCK_REFUSED', 'too large \u001b[2Jfor\nthis test'));
      });
      while ((await broker.depth(TOPOLOGY.refetch)).deadLetters === 0) await sleep(20);
      await broker.close();
      expect(await run()).toEqual([
        'raw-blocks: 0 dead letters',
        'block-records: 0 dead letters',
        'refetch: 1 dead letters',
        '  BLOCK_REFUSED  too large  [2Jfor this test',
      ]);
      expect(await run('--resend', 'refetch')).toEqual(['refetch: 1 messages redelivered']);
      expect(await run()).toEqual([
        'raw-blocks: 0 dead letters',
        'block-records: 0 dead letters',
        'refetch: 0 dead letters',
      ]);
    });

    it.each([[['--resend', 'nothing']], [['--all']]])('are not touched by a command line like %j', async (args) => {
      await expect(run(...args)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    });
  });
});
