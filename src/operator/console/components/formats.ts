import { dayMs, hourMs, minuteMs } from '../../../core/values/time.js';

type Optional = number | null | undefined;

const locale = 'en-GB';
const decimal = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
const date = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options });
const exact = date({ dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });
const clock = date({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const dayOfMonth = date({ day: 'numeric', month: 'short' });

const units = [
  ['d', dayMs],
  ['h', hourMs],
  ['min', minuteMs],
  ['s', 1_000],
  ['ms', 1],
] as const;

/** A missing value is a dash. */
export function formatNumber(value: Optional): string {
  return typeof value === 'number' ? decimal.format(value) : '–';
}

/** @param value from 0 to 1 */
export function formatPercent(value: number): string {
  return share.format(value);
}

/** Formats `22 Nov 2026, 13:05:09 UTC`. */
export function formatTime(time: Date): string {
  return `${exact.format(time)} UTC`;
}

export function formatClock(time: Date): string {
  return clock.format(time);
}

export function formatDay(time: Date): string {
  return dayOfMonth.format(time);
}

/** Formats milliseconds in at most two units: `3 h 20 min`, and fractions only below one second. */
export function formatDuration(value: Optional): string {
  if (typeof value !== 'number') return '–';
  let rest = Math.max(0, value < 1_000 ? value : Math.round(value));
  const first = units.findIndex(([, length]) => rest >= length);
  const begin = first === -1 ? units.length - 1 : first;
  const parts = units.slice(begin, begin + 2).flatMap(([unit, length], index) => {
    const count = length > 1 ? Math.floor(rest / length) : rest;
    rest -= count * length;
    return count === 0 && index > 0 ? [] : [`${decimal.format(count)} ${unit}`];
  });
  return parts.join(' ');
}

/** Formats `5 min ago` or `in 2 h`, in one unit. */
export function formatRelative(time: Date, now: Date): string {
  const distance = now.getTime() - time.getTime();
  const [largest = ''] = formatDuration(Math.abs(distance)).split(/(?<=\D) (?=\d)/);
  if (Math.abs(distance) < 1_000) return 'now';
  return distance > 0 ? `${largest} ago` : `in ${largest}`;
}
