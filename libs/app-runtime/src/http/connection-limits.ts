import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { counter, gauge, type Registry } from '../metrics';
import { addressOf, ClientAddresses, clientKeyOf } from './client-address';
import { setWriteDeadline } from './write-deadline';

/** Limits of the connections to a server that untrusted clients reach directly. */
export interface ConnectionLimits {
  /** Of all clients together. */
  maxConnections: number;
  /** Per client address (IPv6: per /64); trusted proxies have no limit. */
  maxConnectionsPerClient: number;
  trustedProxies: readonly string[];
  /** Time after which a client that does not read its response is disconnected. */
  writeTimeoutSeconds: number;
}

/**
 * Makes a server close new connections beyond the limits, and connections whose client does not read; for `ListenOptions`. The
 * registry receives how many are open and how many were closed.
 */
export function limitConnections(limits: ConnectionLimits, registry: Registry): (server: Server) => void {
  return (server) => {
    const metrics = createConnectionMetrics(registry, server);
    server.maxConnections = limits.maxConnections;
    server.on('drop', () => metrics.refused('all'));
    setWriteDeadline(server, limits.writeTimeoutSeconds, () => metrics.refused('slow_reader'));
    limitPerClient(server, limits, () => metrics.refused('client'));
  };
}

function limitPerClient(server: Server, limits: ConnectionLimits, onRefused: () => void): void {
  const proxies = new ClientAddresses(limits.trustedProxies);
  const counts = new Map<string, number>();
  server.prependListener('connection', (socket: Socket) => {
    const address = addressOf(socket.remoteAddress);
    if (proxies.isTrusted(address)) return;
    const client = clientKeyOf(address);
    const count = counts.get(client) ?? 0;
    if (count >= limits.maxConnectionsPerClient) {
      onRefused();
      socket.destroy();
      return;
    }
    counts.set(client, count + 1);
    socket.once('close', () => {
      const left = (counts.get(client) ?? 1) - 1;
      if (left === 0) counts.delete(client);
      else counts.set(client, left);
    });
  });
}

const REASONS = ['all', 'client', 'slow_reader'] as const;

function createConnectionMetrics(registry: Registry, server: Server) {
  const open = gauge(registry, { name: 'history_gateway_connections', help: 'Open connections of clients' });
  server.on('connection', (socket: Socket) => {
    open.inc();
    socket.once('close', () => open.dec());
  });
  const refused = counter(registry, {
    name: 'history_gateway_connections_refused_total',
    help: 'Connections closed by a limit: of all clients (all), of one client (client), or of the read rate (slow_reader)',
    labelNames: ['reason'],
  });
  for (const reason of REASONS) refused.inc({ reason }, 0);
  return { refused: (reason: (typeof REASONS)[number]) => refused.inc({ reason }) };
}
