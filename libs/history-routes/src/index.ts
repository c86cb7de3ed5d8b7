export { ACTIONS_BY_ROWS_PATH, type GetActionsRequest, type GetActionsResponse } from './get-actions';
export type { GetActionsByPositionRequest, GetActionsByPositionResponse } from './get-actions-by-position';
export type { GetControlledAccountsRequest, GetControlledAccountsResponse } from './get-controlled-accounts';
export type { GetKeyAccountsRequest, GetKeyAccountsResponse } from './get-key-accounts';
export type { GetTransactionRequest, GetTransactionResponse } from './get-transaction';
export * from './history-routes';
export * from './stream';
