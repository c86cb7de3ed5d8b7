/** What a text in the search box can name, the likeliest first. */
export type Meaning = 'account' | 'key' | 'transaction' | 'block';

const BLOCK_NUM = /^\d{1,10}$/;
const HEX = /^[0-9a-f]{8,64}$/i;
const KEY = /^(PUB_(K1|R1|WA)_[1-9A-HJ-NP-Za-km-z]{40,}|[A-Z]{3,4}[1-9A-HJ-NP-Za-km-z]{50})$/;
/** Names have 12 characters of this set, and a 13th of fewer values: libraries/chain/include/eosio/chain/name.hpp. */
const ACCOUNT = /^[a-z1-5.]{1,12}[a-j1-5.]?$/;

/** The digits of a number may be grouped: `12,345`. */
export function normalise(text: string): string {
  const trimmed = text.trim();
  return /^\d{1,3}([, ]\d{3})+$/.test(trimmed) ? trimmed.replaceAll(/[, ]/g, '') : trimmed;
}

/** All meanings that the text can have by its form; a short hexadecimal number can be an account's name, too. */
export function meaningsOf(text: string): Meaning[] {
  const meanings: Meaning[] = [];
  if (BLOCK_NUM.test(text)) meanings.push('block');
  if (ACCOUNT.test(text)) meanings.push('account');
  if (KEY.test(text)) meanings.push('key');
  if (HEX.test(text)) meanings.push('transaction');
  if (/^[0-9a-f]{64}$/i.test(text)) meanings.push('block');
  return meanings;
}
