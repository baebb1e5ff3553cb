import type { Language } from '../../../core/localization/language.js';
import { dayMs, hourMs, minuteMs } from '../../../core/values/time.js';

/** Digits are Latin, as in ids, requests and logs. */
const locales: Readonly<Record<Language, string>> = {
  'en-us': 'en-GB',
  'ar-eg': 'ar-EG-u-nu-latn',
};

type Optional = number | null | undefined;

/** Numbers and UTC times in a language; a missing value is a dash. */
export interface Formats {
  number(this: void, value: Optional): string;
  /** @param share from 0 to 1 */
  percent(this: void, share: number): string;
  /** As `22 Nov 2026, 13:05:09`. */
  time(time: Date): string;
  clock(time: Date): string;
  day(time: Date): string;
  /** From milliseconds, in two units at most: `3 h 20 min` or `12.5 ms`. */
  duration(this: void, milliseconds: Optional): string;
  /** @param day 0 for Monday */
  weekday(day: number): string;
}

const formatsByLanguage = new Map<Language, Formats>();

export function formatsOf(language: Language): Formats {
  const known = formatsByLanguage.get(language) ?? createFormats(locales[language]);
  formatsByLanguage.set(language, known);
  return known;
}

function createFormats(locale: string): Formats {
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const date = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options });
    return (time: Date) => format.format(time);
  };
  const weekday = date({ weekday: 'short' });
  return {
    number: (value) => (typeof value === 'number' ? number.format(value) : '–'),
    percent: (share) => percent.format(share),
    time: date({ dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' }),
    clock: date({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    day: date({ day: 'numeric', month: 'short' }),
    duration: (value) => (typeof value === 'number' ? durationText(locale, value) : '–'),
    // The first day of 2024 was a Monday.
    weekday: (day) => weekday(new Date(Date.UTC(2024, 0, 1 + day))),
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
