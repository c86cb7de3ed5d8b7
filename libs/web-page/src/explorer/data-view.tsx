import type { JSX } from 'preact';
import { formatNumber } from '../format.js';
import { AccountLink } from './parts.js';

/** Fields that are shown as links, because contracts by convention have accounts in them. */
const ACCOUNT_FIELDS = new Set([
  'from',
  'to',
  'owner',
  'account',
  'receiver',
  'creator',
  'name',
  'payer',
  'issuer',
  'producer',
  'voter',
  'actor',
  'user',
  'proxy',
  'proposer',
]);
const NAME = /^[a-z1-5.]{1,12}[a-j1-5.]?$/;

interface DataViewProps {
  data: unknown;
  /** Characters of a value that are shown. */
  shownLength?: number;
}

/** The decoded data of an action; hexadecimal where no ABI decodes it. */
export function DataView({ data, shownLength = 1_000 }: DataViewProps): JSX.Element {
  const cut = (text: string): string => shorten(text, shownLength);
  if (typeof data === 'string') return data === '' ? <span class="soft">no data</span> : <code>{cut(data)}</code>;
  if (typeof data !== 'object' || data === null) return <code>{JSON.stringify(data)}</code>;
  return (
    <dl class="data">
      {Object.entries(data).map(([name, value]) => (
        <div key={name}>
          <dt>{cut(name)}</dt>
          <dd>{isAccount(name, value) ? <AccountLink name={value} /> : showValue(value, cut)}</dd>
        </div>
      ))}
    </dl>
  );
}

function isAccount(name: string, value: unknown): value is string {
  return ACCOUNT_FIELDS.has(name) && typeof value === 'string' && NAME.test(value);
}

function showValue(value: unknown, cut: (text: string) => string): JSX.Element | string {
  if (typeof value === 'string') return value === '' ? '""' : cut(value);
  if (typeof value === 'object' && value !== null) return <code>{cut(JSON.stringify(value))}</code>;
  return String(value);
}

/** Contracts choose the texts, and their lengths. */
function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}… (${formatNumber(text.length)} characters)`;
}
