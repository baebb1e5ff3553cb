import type { Language } from '../../../core/localization/language.js';
import { dayMs, hourMs, minuteMs } from '../../../core/values/time.js';

type Optional = number | null | undefined;

/** Times are UTC; a missing value is a dash. */
export type Formatters = ReturnType<typeof createFormatters>;

/** Digits are Latin in both languages, as in ids, requests and logs. */
const formatters: Readonly<Record<Language, Formatters>> = {
  'en-us': createFormatters('en-GB'),
  'ar-eg': createFormatters('ar-EG-u-nu-latn'),
};

export function formattersFor(language: Language): Formatters {
  return formatters[language];
}

function createFormatters(locale: string) {
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const date = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options });
    return (time: Date) => format.format(time);
  };
  const weekday = date({ weekday: 'short' });
  return {
    number: (value: Optional) => (typeof value === 'number' ? number.format(value) : '–'),
    /** @param share from 0 to 1 */
    percent: (share: number) => percent.format(share),
    /** Formats `22 Nov 2026, 13:05:09`. */
    time: date({ dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' }),
    clock: date({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    day: date({ day: 'numeric', month: 'short' }),
    /** Formats milliseconds in at most two units: `3 h 20 min` or `12.5 ms`. */
    duration: (value: Optional) => (typeof value === 'number' ? durationText(locale, value) : '–'),
    /** @param day 0 for Monday, like the first day of 2024 */
    weekday: (day: number) => weekday(new Date(Date.UTC(2024, 0, 1 + day))),
  };
}

const units = [
  ['day', dayMs],
  ['hour', hourMs],
  ['minute', minuteMs],
  ['second', 1_000],
  ['millisecond', 1],
] as const;

function durationText(locale: string, milliseconds: number): string {
  let rest = Math.max(0, milliseconds < 1_000 ? milliseconds : Math.round(milliseconds));
  const first = units.findIndex(([, length]) => rest >= length);
  const begin = first === -1 ? units.length - 1 : first;
  const parts = units.slice(begin, begin + 2).flatMap(([unit, length], index) => {
    const count = length > 1 ? Math.floor(rest / length) : rest;
    rest -= count * length;
    if (count === 0 && index > 0) return [];
    const style = { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 } as const;
    return [new Intl.NumberFormat(locale, style).format(count)];
  });
  return parts.join(' ');
}
