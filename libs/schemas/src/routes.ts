import type { z } from 'zod';
import { getActionsResponse, getActionsRequest } from './endpoints/get-actions';
import { getChainBlockResponse, getChainBlockRequest } from './endpoints/get-chain-block';
import { getControlledAccountsResponse, getControlledAccountsRequest } from './endpoints/get-controlled-accounts';
import { getKeyAccountsResponse, getKeyAccountsRequest } from './endpoints/get-key-accounts';
import { getTraceBlockResponse, getTraceBlockRequest } from './endpoints/get-trace-block';
import { getTransactionResponse, getTransactionRequest } from './endpoints/get-transaction';

/** The app that answers a route. */
export type ApiName = 'history' | 'chain' | 'trace';

/** An endpoint as a value: the apps serve it, the gateway routes by it, the documentation is made from it. */
export interface Route<Request extends z.ZodType = z.ZodType, Answer extends z.ZodType = z.ZodType> {
  /** Stands in `method` of the details of an error body. */
  endpoint: string;
  app: ApiName;
  method: 'POST';
  path: string;
  request: Request;
  answer: Answer;
}

/** A request as `parseRequest` gives it. */
export type RequestOf<R extends Route> = z.output<R['request']>;
export type ResponseOf<R extends Route> = z.output<R['answer']>;

export const ROUTES = {
  getActions: {
    endpoint: 'get_actions',
    app: 'history',
    method: 'POST',
    path: '/v1/history/get_actions',
    request: getActionsRequest,
    answer: getActionsResponse,
  },
  getControlledAccounts: {
    endpoint: 'get_controlled_accounts',
    app: 'history',
    method: 'POST',
    path: '/v1/history/get_controlled_accounts',
    request: getControlledAccountsRequest,
    answer: getControlledAccountsResponse,
  },
  getKeyAccounts: {
    endpoint: 'get_key_accounts',
    app: 'history',
    method: 'POST',
    path: '/v1/history/get_key_accounts',
    request: getKeyAccountsRequest,
    answer: getKeyAccountsResponse,
  },
  getTransaction: {
    endpoint: 'get_transaction',
    app: 'history',
    method: 'POST',
    path: '/v1/history/get_transaction',
    request: getTransactionRequest,
    answer: getTransactionResponse,
  },
  getChainBlock: {
    endpoint: 'get_block',
    app: 'chain',
    method: 'POST',
    path: '/v1/chain/get_block',
    request: getChainBlockRequest,
    answer: getChainBlockResponse,
  },
  getTraceBlock: {
    endpoint: 'get_block',
    app: 'trace',
    method: 'POST',
    path: '/v1/trace_api/get_block',
    request: getTraceBlockRequest,
    answer: getTraceBlockResponse,
  },
} as const satisfies Record<string, Route>;
