import type { ActionsQuery } from '../history-store';

/** The oldest 1,000 actions of a chain; queries of tests differ from it by what they test. */
export const EVERY_ACTION: ActionsQuery = {
  account: undefined,
  filters: [],
  data: [],
  after: undefined,
  before: undefined,
  parent: undefined,
  order: 'asc',
  skip: 0,
  limit: 1_000,
  window: 'skip',
};
