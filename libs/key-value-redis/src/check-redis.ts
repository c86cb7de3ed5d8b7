import { randomBytes } from 'node:crypto';
import { ErrorReply } from 'redis';
import { ConnectionError, describeTrouble } from '@antelope-history/connectivity';
import { checkServerClock, ok, toFinding, wrong, type Check, type Finding } from '@antelope-history/connectivity/check';
import type { KeyValue } from '@antelope-history/key-value';
import { HistoryError } from '@antelope-history/schemas';
import { createRedisClient, type RedisClient, type RedisOptions } from './redis-client';
import { nameServer, toConnectError } from './redis-errors';
import { openRedisKeyValue } from './redis-key-value';

const SERVER = 'redis';
const PERMISSIONS = 'redis permissions';
/** Keys expire after this time if a check is interrupted before it deletes them. */
const PROBE_TTL_MS = 5_000;
/** Exceeds the time limit of a check, which ends the connection attempt first. */
const CONNECT_LIMIT_MS = 60_000;

/** The checks of the key-value store on Redis. `now` returns milliseconds since 1970. */
export function redisChecks(options: RedisOptions, now: () => number): Check[] {
  return [
    { name: SERVER, needs: [], run: (signal) => checkServer(options, signal) },
    { name: PERMISSIONS, needs: [SERVER], run: () => checkPermissions(options) },
    { name: 'redis writes', needs: [PERMISSIONS], run: (signal) => checkWrites(options, signal) },
    { name: 'redis clock', needs: [SERVER], run: (signal) => checkClock(options, now, signal) },
  ];
}

async function checkServer(options: RedisOptions, signal: AbortSignal): Promise<Finding> {
  const { address } = nameServer(options.url);
  try {
    await withClient(options, signal, (client) => client.ping());
    return ok('redis.answers', `it responds at ${address}`);
  } catch (error) {
    const reason = toConnectError(error, nameServer(options.url));
    if (reason instanceof ConnectionError) return toFinding(reason, SERVER);
    const [what = '', change = 'see its log'] = reason.message.split(': ');
    const id = { ACCESS_REFUSED: 'redis.no_permission', CONFIG_INVALID: 'redis.not_usable' }[reason.code as string];
    return wrong(id ?? 'redis.not_ready', what, change);
  }
}

/** All operations that the service performs on the store, on keys of the check. */
const OPERATIONS: ((keyValue: KeyValue, key: string) => Promise<unknown>)[] = [
  (keyValue, key) => keyValue.set(key, '', PROBE_TTL_MS),
  (keyValue, key) => keyValue.get(key),
  (keyValue, key) => keyValue.delete(key),
  (keyValue, key) => keyValue.count(key, PROBE_TTL_MS),
  (keyValue, key) => keyValue.setMember(`${key}-group`, key, '', PROBE_TTL_MS),
  (keyValue, key) => keyValue.listMembers(`${key}-group`),
  (keyValue, key) => keyValue.deleteMember(`${key}-group`, key),
  (keyValue, key) => keyValue.delete(key),
];

async function checkPermissions(options: RedisOptions): Promise<Finding> {
  const keyValue = await openRedisKeyValue(options, () => undefined);
  const refusals: string[] = [];
  const key = probeKey();
  try {
    for (const operation of OPERATIONS) {
      await operation(keyValue, key).catch((error: unknown) => {
        const refusal = replyOf(error);
        if (refusal.startsWith('NOPERM')) refusals.push(refusal);
      });
    }
  } finally {
    await keyValue.close();
  }
  return describeRefusals(refusals, options);
}

function describeRefusals(refusals: string[], { username = 'default', keyPrefix }: RedisOptions): Finding {
  if (refusals.length === 0) return ok('redis.permissions', 'the user may run all required commands');
  // Redis replies "NOPERM this user has no permissions to run the 'set' command"; a reply about keys quotes no command.
  const commands = new Set(refusals.flatMap((refusal) => /'([\w|]+)'/.exec(refusal)?.[1] ?? []));
  if (commands.size === 0) {
    return wrong(
      'redis.no_key_permission',
      `the user ${username} may not use keys that begin with ${keyPrefix}:`,
      `allow it: ACL SETUSER ${username} ~${keyPrefix}:*`,
    );
  }
  const listed = [...commands].sort();
  return wrong(
    'redis.no_permission',
    `the user ${username} may not run ${listed.join(', ')}`,
    `allow it: ACL SETUSER ${username} ${listed.map((command) => `+${command}`).join(' ')}`,
  );
}

const WRITE_REFUSALS: Record<string, Finding> = {
  READONLY: wrong(
    'redis.read_only_replica',
    'it is a replica, which refuses writes',
    'set key_value.redis.url to the primary',
  ),
  OOM: wrong(
    'redis.full',
    'its memory is full, and its policy evicts no keys',
    'raise its maxmemory, or set its maxmemory-policy to allkeys-lru: its data can be rebuilt',
  ),
  MISCONF: wrong(
    'redis.cannot_persist',
    'it refuses writes because it cannot write its snapshot to disk',
    'see its log, free disk space, or disable its snapshots: its data can be rebuilt',
  ),
  NOREPLICAS: wrong(
    'redis.no_replicas',
    'it refuses writes because it has fewer replicas than its min-replicas-to-write',
    'start its replicas',
  ),
};

async function checkWrites(options: RedisOptions, signal: AbortSignal): Promise<Finding> {
  try {
    const probe = { expiration: { type: 'PX', value: PROBE_TTL_MS } } as const;
    await withClient(options, signal, (client) => client.set(probeKey(), '', probe));
    return ok('redis.writes', 'it accepts writes');
  } catch (error) {
    const finding = WRITE_REFUSALS[replyOf(error).split(' ')[0] ?? ''];
    if (!finding) throw error;
    return finding;
  }
}

async function checkClock(options: RedisOptions, now: () => number, signal: AbortSignal): Promise<Finding> {
  try {
    const [seconds, microseconds] = await withClient(options, signal, (client) => client.time());
    return checkServerClock(SERVER, "Redis's machine", Number(seconds) * 1000 + Number(microseconds) / 1000, now());
  } catch (error) {
    if (!replyOf(error).startsWith('NOPERM')) throw error;
    return ok('redis.clock_unknown', 'this user may not read its clock, which is not required');
  }
}

async function withClient<T>(
  options: RedisOptions,
  signal: AbortSignal,
  use: (client: RedisClient) => Promise<T>,
): Promise<T> {
  const client = createRedisClient(options, CONNECT_LIMIT_MS);
  client.on('error', () => undefined);
  const silent = new ConnectionError(describeTrouble('no_answer', nameServer(options.url)), 'KEY_VALUE_UNAVAILABLE');
  const timeUp = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(silent), { once: true });
  });
  try {
    return await Promise.race([client.connect().then(() => use(client)), timeUp]);
  } finally {
    client.destroy();
  }
}

function probeKey(): string {
  return `check-config-${randomBytes(6).toString('hex')}`;
}

/** The error reply of Redis; empty when the error is not a reply of Redis. */
function replyOf(error: unknown): string {
  const cause = error instanceof HistoryError ? error.cause : error;
  return cause instanceof ErrorReply ? cause.message : '';
}
