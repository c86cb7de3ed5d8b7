import { ROUTES } from '@antelope-history/routes';
import { readAuthorizers, readHistoryResponses, sampleFolder } from '@antelope-history/test-support/recordings';
import { type Comparison, EQUAL, explainedBy, type NamedReason, unexplained } from '../comparison';
import type { RecordedChain } from '../recorded-chain';
import { Tally } from '../tally';
import type { Check } from './check';

/** The fields of an error response that are compared; other fields name source files or give advice. */
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
  /** Whether the reason explains the difference of the two errors. */
  maps(recorded: ErrorText, ours: ErrorText, badRequest: RecordedRequest): boolean;
}

const TRACE_PATH = ROUTES.getTraceBlock.path;

/** The intended differences of error responses. */
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

/** Codes of `parse_error_exception`, `out_of_range_exception` and `assert_exception` of the C++ library `fc`. */
const CPP_LIBRARY_ERRORS = new Set([4, 8, 10]);
/** Codes of `public_key_type_exception` and `invalid_http_request`. */
const NAMED = new Set([3010002, 3200006]);

/** Compares the status, error code and error name of every request that a recorded node refused. */
export const checkBadRequests: Check = async (chain, served) => {
  const tally = new Tally('bad requests', chain.name);
  for (const badRequest of readBadRequests(chain)) {
    const { status, body } = await served.post(badRequest.path, badRequest.request);
    tally.add(
      `${badRequest.path} ${JSON.stringify(badRequest.request)}`,
      compareErrors(badRequest, errorText(status, body)),
    );
  }
  return [tally.outcome()];
};

function compareErrors(badRequest: RecordedRequest, ours: ErrorText): Comparison {
  const { recorded } = badRequest;
  if (JSON.stringify(recorded) === JSON.stringify(ours)) return EQUAL;
  const reason = BAD_REQUEST_REASONS.find(({ maps }) => maps(recorded, ours, badRequest));
  return reason ? explainedBy(reason) : unexplained(`${JSON.stringify(recorded)}, ours ${JSON.stringify(ours)}`);
}

/** The recordings also have requests to `get_accounts_by_authorizers`, which the service does not implement. */
const NOT_OURS = '/v1/chain/get_accounts_by_authorizers';

function readBadRequests({ name }: RecordedChain): RecordedRequest[] {
  const folder = sampleFolder(name);
  const responses =
    name === 'eosio20-edge'
      ? [...readHistoryResponses(folder)]
      : readAuthorizers(folder).errors.map((error) => ({ ...error, body: JSON.stringify(error.body) }));
  return responses
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
