import { describe, expect, it } from '@jest/globals';
import { type Language, languages, textIn } from './language.js';
import { messageFiles } from './localization.module.js';

type Text = string | Readonly<Record<string, string>>;

const files = (await messageFiles.load()) as Readonly<
  Record<Language, Readonly<Record<string, Readonly<Record<string, Text>>>>>
>;

/** Every text, or all its plurals, by its key. */
function textsByKey(language: Language): Record<string, string[]> {
  const entries = Object.entries(files[language]).flatMap(([file, texts]) =>
    Object.entries(texts).map(([key, text]) => [
      `${file}.${key}`,
      typeof text === 'string' ? [text] : Object.values(text),
    ]),
  );
  return Object.fromEntries(entries) as Record<string, string[]>;
}

const placeholdersIn = (texts: readonly string[] = []) =>
  [...new Set(texts.flatMap((text) => text.match(/\{\w+\}/g) ?? []))].toSorted();

describe('the message catalogues', () => {
  const [english, arabic] = languages.map(textsByKey) as [
    Record<string, string[]>,
    Record<string, string[]>,
  ];

  it('have the same keys and placeholders in every language', () => {
    expect(Object.keys(arabic).toSorted()).toEqual(Object.keys(english).toSorted());
    for (const [key, texts] of Object.entries(english)) {
      expect([key, placeholdersIn(arabic[key])]).toEqual([key, placeholdersIn(texts)]);
    }
  });

  it('use only the script of their language', () => {
    for (const text of Object.values(arabic).flat()) expect(text).toMatch(/[\u0600-\u06ff]/);
    for (const text of Object.values(english).flat()) expect(text).not.toMatch(/[\u0600-\u06ff]/);
  });

  it('have every plural form of their language', () => {
    for (const language of languages) {
      const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
      const plurals = Object.values(files[language]).flatMap((texts) =>
        Object.values(texts).filter((text) => typeof text !== 'string'),
      );
      expect(plurals).not.toEqual([]);
      for (const forms of plurals) {
        const needed = pluralCategories.filter((category) => category !== 'zero');
        expect(Object.keys(forms).toSorted()).toEqual(needed.toSorted());
      }
    }
  });
});

describe('textIn', () => {
  it('returns the default language for a missing translation', () => {
    const name = { 'en-us': 'Lake', 'ar-eg': 'بحيرة' };
    expect(textIn(name, 'ar-eg')).toBe('بحيرة');
    expect(textIn(name, 'en-us')).toBe('Lake');
    expect(textIn({ 'en-us': 'Lake' }, 'ar-eg')).toBe('Lake');
    expect(textIn({ 'en-us': 'Lake', 'ar-eg': '' }, 'ar-eg')).toBe('Lake');
    expect(textIn(undefined, 'ar-eg')).toBe('');
  });
});
