import { BAD_REQUEST_REASONS } from './checks/bad-requests';
import { CHAIN_INFO_REASONS } from './checks/chain-info';
import { undecodableAction } from './checks/trace-block';
import type { NamedReason } from './comparison';
import { NODE_REASONS, PLUGIN_REASONS } from './reasons/authorities';
import { CHAIN_BLOCK_REASONS } from './reasons/chain-block';
import { ACTION_ROW_REASONS, NEWEST_THEN, PLUGIN_PAGE_REASONS, TRANSACTION_REASONS } from './reasons/history';
import { TRACE_BLOCK_REASONS } from './reasons/trace-block';

const ALL: readonly NamedReason[] = [
  ...CHAIN_BLOCK_REASONS,
  ...CHAIN_INFO_REASONS,
  undecodableAction,
  ...TRACE_BLOCK_REASONS,
  ...TRANSACTION_REASONS,
  ...ACTION_ROW_REASONS,
  ...PLUGIN_PAGE_REASONS,
  NEWEST_THEN,
  ...PLUGIN_REASONS,
  ...NODE_REASONS,
  ...BAD_REQUEST_REASONS,
];

/** Every reason why a response may differ from a recorded one, without duplicates: endpoints share reasons. */
export const NAMED_REASONS: readonly NamedReason[] = [...new Map(ALL.map((reason) => [reason.name, reason])).values()];
