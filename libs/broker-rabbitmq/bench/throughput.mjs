#!/usr/bin/env node
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import amqplib from 'amqplib';
import { openRabbitmqBroker } from '../dist/index.js';

/*
 * node libs/broker-rabbitmq/bench/throughput.mjs [amqp://USER:PASSWORD@HOST:PORT/VHOST]
 *
 * Measures messages of three sizes from publish to acknowledgement: by the broker (durable queue; persistent, confirmed and
 * acknowledged messages) with many publishes at once and one by one, and as the upper limit by a bare loop of the client
 * without any of these. The variants run in turns; each figure is the median of the rounds.
 */
const ROUNDS = 3;
const SIZES = [
  { bytes: 1_000, count: 20_000 },
  { bytes: 100_000, count: 2_000 },
  { bytes: 2_000_000, count: 150 },
];
/** Concurrent publishes; the broker limits how many of them are sent and unconfirmed. */
const WAITING = 64;

const url = new URL(process.argv[2] ?? 'amqp://guest:guest@127.0.0.1:5672/');

async function bare({ bytes, count }) {
  const connection = await amqplib.connect(url.href);
  const channel = await connection.createChannel();
  const name = `bench-${randomUUID()}`;
  await channel.assertQueue(name, { durable: false });
  const body = Buffer.alloc(bytes, 7);
  const seconds = await timed(async () => {
    let received = 0;
    const all = new Promise((resolve) => {
      void channel.consume(name, () => ++received === count && resolve(), { noAck: true });
    });
    for (let sent = 0; sent < count; sent++) if (!channel.sendToQueue(name, body)) await once(channel, 'drain');
    await all;
  });
  await channel.deleteQueue(name);
  await connection.close();
  return seconds;
}

async function brokered({ bytes, count }, waiting) {
  const options = {
    url: `${url.protocol}//${url.host}`,
    vhost: decodeURIComponent(url.pathname.slice(1)) || '/',
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    splitBytes: 8 * 1024 * 1024,
  };
  const name = `bench-${randomUUID()}`;
  const queue = {
    name,
    deadLetter: `${name}.dead`,
    maxMessages: 256,
    maxBytes: 64 * 1024 * 1024,
    prefetch: 64,
    codec: { encode: (message) => message, decode: (message) => message },
  };
  const fail = (error) => {
    throw error;
  };
  const broker = await openRabbitmqBroker(options, fail, {});
  const body = Buffer.alloc(bytes, 7);
  const seconds = await timed(async () => {
    let received = 0;
    const all = new Promise((resolve) => {
      void broker.consume(queue, ({ acknowledge }) => {
        acknowledge();
        if (++received === count) resolve();
      });
    });
    let left = count;
    const publisher = async () => {
      while (left-- > 0) await broker.publish(queue, body);
    };
    await Promise.all(Array.from({ length: waiting }, publisher));
    await all;
  });
  await broker.close();
  const connection = await amqplib.connect(url.href);
  const channel = await connection.createChannel();
  for (const each of [queue.name, queue.deadLetter]) await channel.deleteQueue(each);
  await connection.close();
  return seconds;
}

async function timed(run) {
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(cpu);
  return { seconds: (performance.now() - startedAt) / 1000, cpuSeconds: (user + system) / 1e6 };
}

function median(values) {
  return [...values].sort((left, right) => left - right)[values.length >> 1];
}

for (const size of SIZES) {
  const figures = { 'bare loop': [], broker: [], 'one by one': [] };
  for (let round = 0; round < ROUNDS; round++) {
    figures['bare loop'].push(await bare(size));
    figures['broker'].push(await brokered(size, WAITING));
    figures['one by one'].push(await brokered(size, 1));
  }
  const limit = median(figures['bare loop'].map(({ seconds }) => seconds));
  for (const [variant, all] of Object.entries(figures)) {
    const seconds = median(all.map((each) => each.seconds));
    const perSecond = size.count / seconds;
    const row = [
      `${size.bytes} bytes`.padStart(14),
      variant.padEnd(10),
      `${perSecond.toFixed(0)} messages/s`.padStart(16),
      `${((perSecond * size.bytes) / 1e6).toFixed(1)} MB/s`.padStart(11),
      `${median(all.map((each) => each.cpuSeconds)).toFixed(2)} s of this CPU`.padStart(18),
      `ratio ${(limit / seconds).toFixed(2)}`.padStart(10),
    ];
    process.stdout.write(`${row.join('  ')}\n`);
  }
}
