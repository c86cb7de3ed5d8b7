import { HistoryError } from '@antelope-history/schemas';
import { addressOf, describeConnectionTrouble, toConnectionError, type ServerName } from './connection-trouble';

const REDIS: ServerName = {
  name: 'Redis',
  address: 'kv.example:6379',
  keys: { url: 'key_value.redis.url', caFile: 'key_value.redis.ca_file' },
};
const failed = (code: string): Error => Object.assign(new Error('connect redis://user:secret@kv.example'), { code });

describe('describeConnectionTrouble', () => {
  it.each([
    ['ECONNREFUSED', 'refused'],
    ['ENOTFOUND', 'unknown_host'],
    ['EHOSTUNREACH', 'no_route'],
    ['ETIMEDOUT', 'no_answer'],
    ['ECONNRESET', 'cut_off'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate_untrusted'],
    ['CERT_HAS_EXPIRED', 'certificate_expired'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate_wrong_host'],
  ])('maps %s to %s and says what to change', (code, kind) => {
    const trouble = describeConnectionTrouble(failed(code), REDIS);
    expect(trouble?.kind).toBe(kind);
    expect(trouble?.what).toMatch(/Redis/);
    expect(trouble?.change).toMatch(/[a-z]/);
    expect(JSON.stringify(trouble)).not.toContain('secret');
  });

  it('follows causes and aggregated errors', () => {
    const gathered = new AggregateError([failed('ECONNREFUSED')], 'all failed');
    const wrapped = new Error('fetch failed', { cause: gathered });
    expect(describeConnectionTrouble(wrapped, REDIS)?.kind).toBe('refused');
  });

  it('gives undefined for other errors, also for an error that is its own cause', () => {
    const circular = new Error('round');
    circular.cause = circular;
    expect(describeConnectionTrouble(circular, REDIS)).toBeUndefined();
    expect(describeConnectionTrouble('text', REDIS)).toBeUndefined();
    expect(describeConnectionTrouble(failed('ERR_OTHER'), REDIS)).toBeUndefined();
  });
});

describe('toConnectionError', () => {
  it('has the final code for a rejected certificate and the given code for any other failure', () => {
    const refused = toConnectionError(failed('CERT_HAS_EXPIRED'), REDIS, 'BROKER_UNAVAILABLE');
    expect([refused.code, refused.retryable]).toEqual(['CERTIFICATE_REFUSED', false]);
    const away = toConnectionError(failed('ECONNREFUSED'), REDIS, 'BROKER_UNAVAILABLE');
    expect([away.code, away.retryable]).toEqual(['BROKER_UNAVAILABLE', true]);
    const other = toConnectionError(failed('ERR_OTHER'), REDIS, 'BROKER_UNAVAILABLE');
    expect(other.message).toBe('Redis at kv.example:6379 cannot be used');
  });

  it('returns a HistoryError unchanged', () => {
    const error = new HistoryError('STOPPED', 'stopping');
    expect(toConnectionError(error, REDIS, 'BROKER_UNAVAILABLE')).toBe(error);
  });
});

describe('addressOf', () => {
  it.each([
    ['redis://user:secret@kv.example', 'kv.example:6379'],
    ['wss://user:secret@[::1]:8443/path', '[::1]:8443'],
    ['https://es.example', 'es.example:443'],
  ])('of %s is %s', (url, address) => {
    expect(addressOf(url)).toBe(address);
  });
});
