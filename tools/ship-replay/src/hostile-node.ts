import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Recording } from '@antelope-history/test-support/recordings';
import { WebSocketServer, type WebSocket } from 'ws';
import { hostileFrame, type AbiFrame } from './hostile-frames';

/** The behaviour of a hostile node. */
export interface Misbehaviour {
  /** Error code with which the client rejects it, see docs/errors.md. */
  code: string;
  /** Sends the opening frame instead of the ABI. */
  open?(socket: WebSocket, node: HonestParts): void;
  /** Sends a frame instead of the status. */
  status?(socket: WebSocket, node: HonestParts): void;
  /** Sends frames instead of blocks. */
  blocks?(socket: WebSocket, node: HonestParts): void;
}

/** The frames that an honest node of the recording sends. */
export interface HonestParts {
  abi: string;
  status: Buffer;
  blocks: Buffer[];
}

export interface HostileNode {
  url: string;
  port: number;
  /** Number of connections. */
  readonly connections: number;
  close(): Promise<void>;
}

/** Starts a node that uses the next of the given misbehaviours on each connection, in turn; without any it is honest. */
export async function startHostileNode(recording: Recording, ways: readonly Misbehaviour[]): Promise<HostileNode> {
  const node = honestParts(recording);
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let connections = 0;
  server.on('connection', (socket) => serve(socket, node, ways[connections++ % ways.length] as Misbehaviour));
  return {
    url: `ws://127.0.0.1:${port}`,
    port,
    get connections() {
      return connections;
    },
    async close() {
      for (const client of server.clients) client.terminate();
      server.close();
      await once(server, 'close');
    },
  };
}

const STATUS_REQUEST = 0;
const BLOCKS_REQUEST = 1;

function serve(socket: WebSocket, node: HonestParts, way: Misbehaviour): void {
  // The client ends the session while frames are being sent.
  socket.on('error', () => undefined);
  (way.open ?? ((client) => client.send(node.abi)))(socket, node);
  socket.on('message', (request: Buffer) => {
    if (request[0] === STATUS_REQUEST) (way.status ?? ((client) => client.send(node.status)))(socket, node);
    if (request[0] === BLOCKS_REQUEST) way.blocks?.(socket, node);
  });
}

const POSITION_BYTES = 36;
/** In `get_blocks_result_v0`: a tag, two positions, a flag and the position of the block itself. */
const HEAD_AT = 1;
const IRREVERSIBLE_AT = HEAD_AT + POSITION_BYTES;
const THIS_BLOCK_AT = IRREVERSIBLE_AT + POSITION_BYTES + 1;
const MAX_UINT32 = 0xffff_ffff;

/** Head and last irreversible block follow the tag of every result. */
function honestParts({ abi, messages, chainId }: Recording): HonestParts {
  const first = messages.find(({ thisBlock }) => thisBlock);
  const last = messages.at(-1);
  if (!first || !last) throw new Error('the recording has no blocks');
  const positions = last.bytes.subarray(HEAD_AT, IRREVERSIBLE_AT + POSITION_BYTES);
  const ranges = Buffer.alloc(16);
  const [begin, end] = [first.thisBlock?.num ?? 0, (last.thisBlock?.num ?? 0) + 1];
  [begin + 1, end, begin, end].forEach((value, index) => ranges.writeUInt32LE(value, index * 4));
  return {
    abi,
    status: Buffer.concat([Buffer.from([0]), positions, ranges, Buffer.from(chainId ?? '', 'hex')]),
    blocks: messages.map(({ bytes }) => bytes),
  };
}

const frame = (change: (abi: AbiFrame) => void): Misbehaviour => ({
  code: 'SHIP_UNSUPPORTED',
  open: (socket, { abi }) => socket.send(hostileFrame(abi, change)),
});
const text = (content: string): Misbehaviour => ({ code: 'SHIP_UNSUPPORTED', open: (socket) => socket.send(content) });
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, each) => make(each));
const without = (list: { name: string }[], name: string): void =>
  void list.splice(
    list.findIndex((each) => each.name === name),
    1,
  );
/** A result of an honest node with another block number at an offset; the id beside it stays. */
const renumbered = (at: number, num: number, id?: string): Misbehaviour => ({
  code: 'SHIP_MESSAGE_CORRUPT',
  blocks(socket, { blocks }) {
    const block = Buffer.from(blocks[0] as Buffer);
    block.writeUInt32LE(num, at);
    if (id !== undefined) block.write(id, at + 4, 'hex');
    socket.send(block);
  },
});
const resultFields = (abi: AbiFrame) => abi.structs.find(({ name }) => name === 'get_blocks_result_v0')!.fields;

/** Misbehaviours by description. Each ends the session of a client that reads to the end of `blocks`. */
export const MISBEHAVIOURS: Record<string, Misbehaviour> = {
  'begins with text that is not JSON': text('hello'),
  'begins with an empty text': text(''),
  'begins with JSON that is no ABI': text('[1, 2, {"structs": 5}]'),
  'begins with JSON nested 100,000 deep': text('['.repeat(100_000)),
  'begins with an ABI of nothing': text('{"version":"eosio::abi/1.1"}'),
  'begins with a binary frame': { code: 'SHIP_UNSUPPORTED', open: (socket, { status }) => socket.send(status) },
  'begins with text that is not UTF-8': {
    code: 'SHIP_UNSUPPORTED',
    open: (socket) => socket.send(Buffer.from([0x7b, 0xff, 0xfe]), { binary: false }),
  },
  'has no results': frame(({ variants }) => without(variants, 'result')),
  'has no traces': frame(({ structs }) => without(structs, 'transaction_trace_v0')),
  'has no permissions': frame(({ structs }) => without(structs, 'permission_v0')),
  'has 800 KB of names': frame(({ structs }) =>
    structs.push(...many(100, (each) => ({ name: `${each}`.padEnd(8_000, 'x'), base: '', fields: [] }))),
  ),
  'has a type name of 60,000 arrays': frame((abi) =>
    resultFields(abi).push({ name: 'deep', type: `uint8${'[]'.repeat(60_000)}` }),
  ),
  'has a type that is an array of itself': {
    ...frame((abi) => {
      abi.types.push({ new_type_name: 'endless', type: 'endless[]' });
      resultFields(abi).push({ name: 'deep', type: 'endless' });
    }),
    blocks: (socket, { blocks }) => socket.send(blocks[0] as Buffer),
  },
  'has 4,000 results that inherit from one of 4,000 fields': frame(({ structs, variants }) => {
    structs.push({ name: 'b', base: '', fields: many(4_000, () => ({ name: 'f', type: 'name' })) });
    structs.push(...many(4_000, (each) => ({ name: `s${each}`, base: 'b', fields: [] })));
    variants.find(({ name }) => name === 'result')!.types.push(...many(4_000, (each) => `s${each}`));
  }),
  'has 2^31 empty structs in a result': {
    ...frame(({ structs, ...abi }) => {
      structs.push({ name: 'e0', base: '', fields: [] });
      const twice = (type: string) => ['a', 'b'].map((name) => ({ name, type }));
      structs.push(...many(30, (each) => ({ name: `e${each + 1}`, base: '', fields: twice(`e${each}`) })));
      resultFields({ structs, ...abi }).unshift({ name: 'nothing', type: 'e30' });
    }),
    blocks: (socket, { blocks }) => socket.send(blocks[0] as Buffer),
  },
  'sends a second ABI frame': {
    code: 'SHIP_MESSAGE_CORRUPT',
    open(socket, { abi }) {
      socket.send(abi);
      socket.send(abi);
    },
  },
  'sends a block before its status': {
    code: 'SHIP_MESSAGE_CORRUPT',
    open(socket, { abi, blocks }) {
      socket.send(abi);
      socket.send(blocks[0] as Buffer);
    },
  },
  'is of another chain': {
    code: 'CHAIN_ID_MISMATCH',
    status: (socket, { status }) => socket.send(Buffer.concat([status.subarray(0, -32), Buffer.alloc(32, 0xab)])),
  },
  'cuts its status': {
    code: 'SHIP_MESSAGE_CORRUPT',
    status: (socket, { status }) => socket.send(status.subarray(0, 50)),
  },
  'sends its status twice': {
    code: 'SHIP_MESSAGE_CORRUPT',
    blocks: (socket, { status }) => socket.send(status),
  },
  'sends an empty message': { code: 'SHIP_MESSAGE_CORRUPT', blocks: (socket) => socket.send(Buffer.alloc(0)) },
  'sends a result of an unknown type': {
    code: 'SHIP_MESSAGE_CORRUPT',
    blocks: (socket) => socket.send(Buffer.from([0x7f, 1, 2, 3])),
  },
  'reports a head whose id is that of another block': renumbered(HEAD_AT, MAX_UINT32),
  'reports an irreversible block whose id is that of another': renumbered(IRREVERSIBLE_AT, 1_000),
  'reports an irreversible block above its head': renumbered(IRREVERSIBLE_AT, MAX_UINT32, 'ffffffff'),
  'sends block 0': renumbered(THIS_BLOCK_AT, 0, '00000000'),
  'sends a block whose id is that of another': renumbered(THIS_BLOCK_AT, 1_000),
  'sends text for a block': { code: 'SHIP_MESSAGE_CORRUPT', blocks: (socket) => socket.send('block') },
  'sends a payload of 4 GiB in 100 bytes': {
    code: 'SHIP_MESSAGE_CORRUPT',
    blocks: (socket, { blocks }) =>
      socket.send(Buffer.concat([(blocks[0] as Buffer).subarray(0, 75), Buffer.from([0, 1, 255, 255, 255, 255, 15])])),
  },
  'sends a message of 2 MiB': {
    code: 'SHIP_MESSAGE_TOO_LARGE',
    blocks: (socket) => socket.send(Buffer.alloc(2 * 1024 * 1024)),
  },
  'sends 20,000 frames of one byte as one message': {
    code: 'SHIP_MESSAGE_CORRUPT',
    blocks(socket) {
      for (let sent = 0; sent < 20_000; sent++) socket.send(Buffer.alloc(1), { fin: false });
    },
  },
  'sends a thousand messages more than it may': {
    code: 'SHIP_MESSAGE_CORRUPT',
    blocks(socket, { blocks }) {
      // A result without a block is never published, so the client acknowledges it at once.
      const nothing = Buffer.concat([(blocks[0] as Buffer).subarray(0, 73), Buffer.alloc(5)]);
      for (let sent = 0; sent < 1_100; sent++) socket.send(nothing);
    },
  },
};
