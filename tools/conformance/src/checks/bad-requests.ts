import { ROUTES } from '@antelope-history/routes';
import { readAuthorizers, readHistoryResponses, sampleFolder } from '@antelope-history/test-support/recordings';
import { type Comparison, EQUAL, explainedBy, type NamedReason, unexplained } from '../comparison';
import type { RecordedChain } from '../recorded-chain';
import { Tally } from '../tally';
import type { Check } from './check';

/** What an error body says in its fixed fields; the rest names source files, or advises. */
interface ErrorText {
  status: number;
  code: number;
  name: string;
}

interface RecordedRequest {
  path: string;
  request: object | string;
  recorded: ErrorText;
}

interface StatusReason extends NamedReason {
  /** Whether the contract's error table turns the one answer into the other. */
  maps(recorded: ErrorText, ours: ErrorText, asked: RecordedRequest): boolean;
}

const TRACE_PATH = ROUTES.getTraceBlock.path;

/** The contract's table: the same error, and the client's mistakes are the client's. */
export const BAD_REQUEST_REASONS: readonly StatusReason[] = [
  {
    name: 'client-error-status',
    sentence:
      'Client errors have status 400, or 404 for a missing transaction, with the node’s own error code and name; the node responds 500.',
    maps: (recorded, ours) =>
      recorded.status === 500 &&
      ours.code === recorded.code &&
      ours.name === recorded.name &&
      ours.status === (recorded.name === 'tx_not_found' ? 404 : 400),
  },
  {
    name: 'named-error',
    sentence:
      'An invalid public key is `public_key_type_exception` and an invalid integer `invalid_http_request`; the history plugin responds 500 with the exception of the C++ library that failed.',
    maps: (recorded, ours) =>
      recorded.status === 500 && CPP_LIBRARY_ERRORS.has(recorded.code) && ours.status === 400 && NAMED.has(ours.code),
  },
  {
    name: 'trace-error-shape',
    sentence:
      'Errors of `trace_api/get_block` have the same shape as all others, with a code and a name; the trace plugin leaves both empty.',
    maps: (recorded, ours, { path }) =>
      path === TRACE_PATH && recorded.name === '' && ours.status === recorded.status && ours.name !== '',
  },
  {
    name: 'missing-field',
    sentence: 'A request without a required field is `invalid_http_request`; the history plugin reads an empty id.',
    maps: (recorded, ours, { request }) =>
      recorded.name === 'transaction_id_type_exception' &&
      ours.name === 'invalid_http_request' &&
      isEmptyObject(request),
  },
  {
    name: 'latest-block',
    sentence: '`"block_num": -1` is the latest block; the trace plugin responds 400.',
    maps: (recorded, ours, { path }) => path === TRACE_PATH && recorded.status === 400 && ours.status === 200,
  },
  {
    name: 'unknown-path',
    sentence: 'An unknown path is 404 `unknown_path`; the node names the error `exception`.',
    maps: (recorded, ours) => recorded.status === 404 && recorded.name === 'exception' && ours.name === 'unknown_path',
  },
];

const isEmptyObject = (request: object | string): boolean => JSON.stringify(request) === '{}';

/** `parse_error_exception`, `out_of_range_exception`, `assert_exception` of the library `fc`. */
const CPP_LIBRARY_ERRORS = new Set([4, 8, 10]);
/** `public_key_type_exception`, `invalid_http_request`. */
const NAMED = new Set([3010002, 3200006]);

/** The recorded answers to requests that the nodes refused: status, and code and name of the error. */
export const checkBadRequests: Check = async (chain, served) => {
  const tally = new Tally('bad requests', chain.name);
  for (const asked of readBadRequests(chain)) {
    const { status, body } = await served.post(asked.path, asked.request);
    tally.add(`${asked.path} ${JSON.stringify(asked.request)}`, compareErrors(asked, errorText(status, body)));
  }
  return [tally.outcome()];
};

function compareErrors(asked: RecordedRequest, ours: ErrorText): Comparison {
  const { recorded } = asked;
  if (JSON.stringify(recorded) === JSON.stringify(ours)) return EQUAL;
  const reason = BAD_REQUEST_REASONS.find(({ maps }) => maps(recorded, ours, asked));
  return reason ? explainedBy(reason) : unexplained(`${JSON.stringify(recorded)}, ours ${JSON.stringify(ours)}`);
}

/** `get_accounts_by_authorizers` was asked too; it is none of ours. */
const NOT_OURS = '/v1/chain/get_accounts_by_authorizers';

function readBadRequests({ name }: RecordedChain): RecordedRequest[] {
  const folder = sampleFolder(name);
  const answers =
    name === 'eosio20-edge'
      ? [...readHistoryResponses(folder)]
      : readAuthorizers(folder).errors.map((error) => ({ ...error, body: JSON.stringify(error.body) }));
  return answers
    .filter(({ path, status }) => status !== 200 && path !== NOT_OURS)
    .map(({ path, request, status, body }) => ({
      path,
      request: request as object | string,
      recorded: errorText(status, body),
    }));
}

function errorText(status: number, body: string): ErrorText {
  const { error } = JSON.parse(body) as { error?: { code: number; name: string } };
  return { status, code: error?.code ?? 0, name: error?.name ?? '' };
}
