import type { Language } from '../../../core/localization/language.js';
import { dayMs, hourMs, minuteMs } from '../../../core/values/durations.js';

/** Digits stay Latin: ids, requests and logs have them, too. */
const locales: Readonly<Record<Language, string>> = {
  'en-us': 'en-GB',
  'ar-eg': 'ar-EG-u-nu-latn',
};

/** How numbers and times are written in a language; all times are UTC. */
export interface Formats {
  /** A dash for null: there is none. */
  number(this: void, value: number | null): string;
  /** Of a share from 0 to 1. */
  percent(share: number): string;
  /** As `22 Nov 2026, 13:05:09`. */
  time(time: Date): string;
  /** As `13:05`. */
  clock(time: Date): string;
  /** As `22 Nov`. */
  day(time: Date): string;
  /** As `12.5 ms`; a dash for null. */
  milliseconds(this: void, value: number | null): string;
  /** Two units at most, as `3 h 20 min`, from milliseconds. */
  duration(milliseconds: number): string;
  /** The name of a day, 0 for Monday. */
  weekday(day: number): string;
}

const made = new Map<Language, Formats>();

/** The formats of a language. */
export function formatsOf(language: Language): Formats {
  const known = made.get(language) ?? createFormats(locales[language]);
  made.set(language, known);
  return known;
}

function createFormats(locale: string): Formats {
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const inMilliseconds = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: 'millisecond',
    unitDisplay: 'short',
    maximumFractionDigits: 1,
  });
  const date = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options });
    return (time: Date) => format.format(time);
  };
  const weekday = date({ weekday: 'short' });
  return {
    number: (value) => (value === null ? '–' : number.format(value)),
    percent: (share) => percent.format(share),
    milliseconds: (value) => (value === null ? '–' : inMilliseconds.format(value)),
    time: date({ dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' }),
    clock: date({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    day: date({ day: 'numeric', month: 'short' }),
    duration: (milliseconds) => durationText(locale, milliseconds),
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
  const whole = Math.max(0, Math.round(milliseconds));
  const first = units.findIndex(([, length]) => whole >= length);
  const begin = first === -1 ? units.length - 1 : first;
  let rest = whole;
  const parts = units.slice(begin, begin + 2).flatMap(([unit, length], index) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count === 0 && index > 0) return [];
    const style = { style: 'unit', unit, unitDisplay: 'short' } as const;
    return [new Intl.NumberFormat(locale, style).format(count)];
  });
  return parts.join(' ');
}
