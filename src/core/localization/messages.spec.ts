import { describe, expect, it } from '@jest/globals';
import { type Language, localizedText } from './language.js';
import { messageFiles } from './localization.module.js';

const files = (await messageFiles.load()) as Readonly<
  Record<Language, Readonly<Record<string, Readonly<Record<string, string>>>>>
>;

function textsByKey(language: Language): Record<string, string> {
  const entries = Object.entries(files[language]).flatMap(([file, texts]) =>
    Object.entries(texts).map(([key, text]) => [`${file}.${key}`, text]),
  );
  return Object.fromEntries(entries) as Record<string, string>;
}

const placeholdersIn = (text = '') => [...new Set(text.match(/\{\w+\}/g))].toSorted();

describe('the message catalogues', () => {
  const [english, arabic] = [textsByKey('en-us'), textsByKey('ar-eg')];

  it('have the same keys and placeholders in every language', () => {
    expect(Object.keys(arabic).toSorted()).toEqual(Object.keys(english).toSorted());
    for (const [key, text] of Object.entries(english)) {
      expect([key, placeholdersIn(arabic[key])]).toEqual([key, placeholdersIn(text)]);
    }
  });

  it('use only the script of their language', () => {
    for (const text of Object.values(arabic)) expect(text).toMatch(/[\u0600-\u06ff]/);
    for (const text of Object.values(english)) expect(text).not.toMatch(/[\u0600-\u06ff]/);
  });
});

describe('localizedText', () => {
  it('returns the text in the default language when a translation is missing', () => {
    expect(localizedText({ 'en-us': 'Lake', 'ar-eg': '' }, 'ar-eg')).toBe('Lake');
    expect(localizedText(undefined, 'ar-eg')).toBe('');
  });
});
