import path from 'node:path';
import type { RecordedPosition } from './blocks-result';
import { RecordingError } from './recording-error';
import { messageOf, readGzipFile, readJsonFile } from './recording-file';

/** A node's HTTP response; `body` is its unchanged text. */
export interface NodeResponse {
  status: number;
  body: string;
}

export interface BlockResponse extends NodeResponse {
  blockNum: number;
}

/** A response of the original history plugin; `request` is the body that was sent. */
export interface HistoryResponse extends NodeResponse {
  path: string;
  request: unknown;
}

/** `/v1/chain/get_block` of each block up to the last irreversible one, ascending. */
export function readChainBlocks(folder: string): Generator<BlockResponse> {
  return readBlockResponses(folder, 'chain_get_block.jsonl.gz');
}

/** `/v1/trace_api/get_block` of each block up to the last irreversible one, ascending. */
export function readTraceBlocks(folder: string): Generator<BlockResponse> {
  return readBlockResponses(folder, 'trace_get_block.jsonl.gz');
}

/** The original history plugin's responses (EOSIO 2.0 recordings only). */
export function* readHistoryResponses(folder: string): Generator<HistoryResponse> {
  for (const { head, body } of readLines(folder, 'history.jsonl.gz')) {
    yield { path: String(head['path']), request: head['request'], status: Number(head['status']), body };
  }
}

function* readBlockResponses(folder: string, name: string): Generator<BlockResponse> {
  for (const { head, body } of readLines(folder, name)) {
    yield { blockNum: Number(head['n']), status: Number(head['status']), body };
  }
}

/** Each line is a JSON object, a tab, and the body. */
function* readLines(folder: string, name: string): Generator<{ head: Record<string, unknown>; body: string }> {
  const lines = readGzipFile(folder, name).toString('utf8').split('\n');
  for (const [index, line] of lines.entries()) {
    if (line === '') continue;
    const tab = line.indexOf('\t');
    try {
      yield { head: JSON.parse(line.slice(0, tab)) as Record<string, unknown>, body: line.slice(tab + 1) };
    } catch (error) {
      throw new RecordingError(`${path.join(folder, name)}, line ${index + 1}: ${messageOf(error)}`, { cause: error });
    }
  }
}

/** A permission that names the requested key or account (`/v1/chain/get_accounts_by_authorizers`). */
export interface Authorization {
  account_name: string;
  permission_name: string;
  authorizing_key?: string;
  authorizing_account?: { actor: string; permission: string };
  weight: number;
  threshold: number;
}

/** The fields of `get_info` that readers of recordings use; there are more. */
export interface NodeInfoResponse extends Record<string, unknown> {
  chain_id: string;
  head_block_num: number;
  head_block_id: string;
  last_irreversible_block_num: number;
  last_irreversible_block_id: string;
}

export interface Authorizers {
  /** The node's response to `get_info` at the time of the requests. */
  info: NodeInfoResponse;
  chainId: string;
  /** Head of the node at the time of the requests. */
  head: RecordedPosition;
  lastIrreversible: RecordedPosition;
  /** By public key, in both spellings. */
  keys: Record<string, Authorization[]>;
  /** By account name. */
  accounts: Record<string, Authorization[]>;
  /** The node's responses to bad requests. */
  errors: { path: string; request: unknown; status: number; body: unknown }[];
}

/** Reads `authorizers.json` (Leap recordings only). */
export function readAuthorizers(folder: string): Authorizers {
  const file = readJsonFile(folder, 'authorizers.json') as AuthorizersFile;
  const { info, keys, accounts, errors } = file;
  return {
    info,
    chainId: info.chain_id,
    head: { num: info.head_block_num, id: info.head_block_id },
    lastIrreversible: { num: info.last_irreversible_block_num, id: info.last_irreversible_block_id },
    keys,
    accounts,
    errors,
  };
}

type AuthorizersFile = Pick<Authorizers, 'info' | 'keys' | 'accounts' | 'errors'>;

/** Accounts and keys that the recorded traffic used; a K1 key in both spellings. */
export interface UsedAccounts {
  names: string[];
  keys: { i: number; pem: string; legacy: string }[];
  r1: string[];
}

/** Reads `accounts.json`. */
export function readUsedAccounts(folder: string): UsedAccounts {
  return readJsonFile(folder, 'accounts.json') as UsedAccounts;
}
