const BYTE_UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];
const COUNT_UNITS = [' million', ' billion', ' trillion'];
const THOUSAND = 1_000;
const MILLION = 1_000_000;
const HOURS_PER_DAY = 24;
const MINUTES_PER_HOUR = 60;
/** Digits of a result that is not whole. */
const DIGITS = 2;

/** Bytes in decimal units, as disks are sold: `21 TB`. */
export function formatBytes(bytes: number): string {
  const [value, unit] = scale(bytes, BYTE_UNITS.length);
  return `${formatNumber(value)} ${BYTE_UNITS[unit] ?? ''}`;
}

/** Bytes of memory in binary units: `31 GiB`. */
export function formatMemory(bytes: number): string {
  const mebibytes = bytes / 2 ** 20;
  return mebibytes < 1_024 ? `${formatNumber(mebibytes)} MiB` : `${formatNumber(mebibytes / 1_024)} GiB`;
}

/** A number of things: `400 million`; all digits below a million. */
export function formatCount(count: number): string {
  if (count < MILLION) return Number.isInteger(count) ? count.toLocaleString('en') : formatNumber(count);
  const [value, unit] = scale(count / MILLION, COUNT_UNITS.length);
  return `${Number(value.toPrecision(DIGITS + 1))}${COUNT_UNITS[unit] ?? ''}`;
}

/** `8.4 days`; hours below one day, minutes below one hour. */
export function formatDays(days: number): string {
  if (days >= 1) return `${formatNumber(days)} days`;
  const hours = days * HOURS_PER_DAY;
  return hours >= 1 ? `${formatNumber(hours)} hours` : `${formatNumber(hours * MINUTES_PER_HOUR)} minutes`;
}

export function formatPercent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

/** Two digits below 100 and three above: a sizing is no more exact than that. */
export function formatNumber(value: number): string {
  return Number(value.toPrecision(value < 10 ** DIGITS ? DIGITS : DIGITS + 1)).toLocaleString('en');
}

function scale(value: number, units: number): [value: number, unit: number] {
  let [scaled, unit] = [value, 0];
  for (; scaled >= THOUSAND && unit < units - 1; unit++) scaled /= THOUSAND;
  return [scaled, unit];
}
