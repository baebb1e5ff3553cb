import { describe, expect, it } from '@jest/globals';
import { type Language, languages, parseLanguage } from './language.js';
import { textIn } from './localized.js';
import { textsByLanguage } from './messages.js';

function textsByKey(language: Language): Record<string, string> {
  const entries = Object.entries(textsByLanguage[language]).flatMap(([file, texts]) =>
    Object.entries(texts).map(([key, text]) => [`${file}:${key}`, text]),
  );
  return Object.fromEntries(entries) as Record<string, string>;
}

const placeholders = (text = '') => (text.match(/\{\w+\}/g) ?? []).toSorted();

describe('the messages', () => {
  const [english, arabic] = languages.map(textsByKey) as [
    Record<string, string>,
    Record<string, string>,
  ];

  it('have the same keys and placeholders in every language', () => {
    expect(Object.keys(arabic)).toEqual(Object.keys(english));
    for (const [key, text] of Object.entries(english)) {
      expect([key, placeholders(arabic[key])]).toEqual([key, placeholders(text)]);
    }
  });

  it('are written in their language', () => {
    for (const text of Object.values(arabic)) expect(text).toMatch(/[\u0600-\u06ff]/);
    for (const text of Object.values(english)) expect(text).not.toMatch(/[\u0600-\u06ff]/);
  });
});

describe('parseLanguage', () => {
  it('takes the known languages in any case and everything else for the default', () => {
    expect(['ar-eg', 'AR-EG', 'En-Us'].map(parseLanguage)).toEqual(['ar-eg', 'ar-eg', 'en-us']);
    expect([undefined, '', 'ar', 'xx-xx', ['ar-eg']].map(parseLanguage)).toEqual(
      Array(5).fill('en-us'),
    );
  });
});

describe('textIn', () => {
  it('falls back to the default language', () => {
    const name = { 'en-us': 'Lake', 'ar-eg': 'بحيرة' };
    expect(textIn(name, 'ar-eg')).toBe('بحيرة');
    expect(textIn(name, 'en-us')).toBe('Lake');
    expect(textIn({ 'en-us': 'Lake' }, 'ar-eg')).toBe('Lake');
    expect(textIn({ 'en-us': 'Lake', 'ar-eg': '' }, 'ar-eg')).toBe('Lake');
    expect(textIn(undefined, 'ar-eg')).toBe('');
  });
});
