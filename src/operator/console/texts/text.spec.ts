import { describe, expect, it } from '@jest/globals';
import { languages } from '../../../core/localization/language.js';
import { formattersFor } from './formatters.js';
import { texts, translator } from './text.js';

const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();

describe('the texts of the console', () => {
  it.each(Object.entries(texts))('have the same placeholders in both languages: %s', (_, text) => {
    expect(Object.keys(text).toSorted()).toEqual([...languages].toSorted());
    expect(text['ar-eg']).toMatch(/\S/);
    expect(text['en-us']).toMatch(/\S/);
    expect(placeholders(text['ar-eg'])).toEqual(placeholders(text['en-us']));
  });

  it('insert special characters of values unchanged', () => {
    const text = translator('en-us');
    expect(text('console.asOf', { time: '{other} $& <b>' })).toBe('As of {other} $& <b> UTC');
  });
});

it('durations have at most two units, and fractions only below one second', () => {
  const formats = formattersFor('en-us');
  const second = 1_000;
  const durations = [0, 1, 12.34, 999, second, 61 * second, 3_600 * second, 90_061 * second].map(
    (length) => formats.duration(length),
  );
  expect(durations).toEqual([
    '0 ms',
    '1 ms',
    '12.3 ms',
    '999 ms',
    '1 sec',
    '1 min 1 sec',
    '1 hr',
    '1 day 1 hr',
  ]);
});
