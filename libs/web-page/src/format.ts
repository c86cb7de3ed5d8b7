/** Texts for numbers, times and sizes. Missing values are a dash. */
export const NONE = '–';

export function formatNumber(value: number | null | undefined, digits = 0): string {
  return value === null || value === undefined
    ? NONE
    : value.toLocaleString('en-US', { maximumFractionDigits: digits });
}

/** `12,345`, below a hundred with one decimal: `4.2`. */
export function formatRate(value: number | null | undefined): string {
  return formatNumber(value, value !== null && value !== undefined && value < 100 ? 1 : 0);
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

export function formatBytes(value: number | null | undefined): string {
  if (value === null || value === undefined) return NONE;
  const power = value < 1 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log2(value) / 10));
  const scaled = value / 1024 ** power;
  return `${formatNumber(scaled, scaled < 10 && power > 0 ? 1 : 0)} ${BYTE_UNITS[power] ?? ''}`;
}

/** The units of a duration, each used from one and a half of it on. */
const TIME_UNITS: [string, number][] = [
  ['days', 86_400],
  ['hours', 3_600],
  ['minutes', 60],
];

export function formatSeconds(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return NONE;
  const [unit, size] = TIME_UNITS.find(([, length]) => seconds >= length * 1.5) ?? ['seconds', 1];
  return `${formatNumber(Math.max(0, Math.round(seconds / size)))} ${unit}`;
}

/** `2026-01-02 03:04:05 UTC` of milliseconds since 1970. */
export function formatTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** A chain's time (`2026-01-02T03:04:05.500`, UTC) for people. */
export function formatChainTime(time: string): string {
  return time.replace('T', ' ').replace(/(?:\.000)?Z?$/, '');
}

/** The first digits of an id. */
export function shorten(id: string, length = 8): string {
  return id.length <= length + 1 ? id : `${id.slice(0, length)}…`;
}

/** `history_api` or `history-api` as `History API`. */
export function formatName(name: string): string {
  const words = name.replaceAll(/[_-]/g, ' ').replace(/\bapi\b/, 'API');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
