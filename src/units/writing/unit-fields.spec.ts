import { describe, expect, it } from '@jest/globals';
import { requestedUnitFields, slugCandidates, slugify } from './unit-fields.js';
import type { Language } from '../../core/localization/language.js';
import type { UpsertUnitDto } from '../unit.dto.js';

type StoredName = Parameters<typeof requestedUnitFields>[1];
type SentName = NonNullable<UpsertUnitDto['name']>;

describe('requestedUnitFields', () => {
  it('returns the sent values without references', () => {
    const plain = {
      recordSystemId: 'ERP-1',
      unitId: 'A-1',
      price: 0,
      status: 'Sold',
      listingType: ['sale'],
      showForBrokers: false,
      isDeleted: true,
    };
    const types = { propertyType: 'villa', unitDesign: 'a', amenities: ['pool'] };
    const references = { compound: 'palm', phase: 'one', ...types };
    expect(requestedUnitFields({ ...plain, ...references }, null, 'en-us')).toStrictEqual(plain);
  });
});

describe('the name of a unit', () => {
  const names = (english: string, arabic?: string) => {
    return { 'en-us': english, ...(arabic !== undefined && { 'ar-eg': arabic }) };
  };
  const [villa, house] = ['فيلا', 'بيت'];
  const sent = (english: string, arabic: string) => {
    return { name: names(english, arabic), nameStandIn: null };
  };
  const standIn = { name: names(villa, villa), nameStandIn: villa };
  const changed = { name: names('Villa', villa), nameStandIn: villa };
  const foreign = { name: names(villa, villa) };
  const english = { 'en-us': 'House' };

  it.each<[string, string, SentName, StoredName, object, string | null]>([
    ['is set in the language of the request', 'en-us', 'Villa', null, names('Villa'), null],
    [
      'is set in the languages of an object',
      'en-us',
      names('A', villa),
      null,
      names('A', villa),
      null,
    ],
    [
      'keeps its Arabic name when only the English one is sent',
      'en-us',
      'House',
      sent('A', villa),
      names('House', villa),
      null,
    ],
    [
      'keeps its English name when only the Arabic one is sent',
      'ar-eg',
      house,
      sent('A', villa),
      names('A', house),
      null,
    ],
    ['repeats an Arabic name in English', 'ar-eg', villa, null, names(villa, villa), villa],
    [
      'replaces an Arabic stand-in with a new Arabic name',
      'ar-eg',
      house,
      standIn,
      names(house, house),
      house,
    ],
    [
      'replaces a stand-in with a sent English name',
      'en-us',
      english,
      standIn,
      names('House', villa),
      null,
    ],
    ['can be equal in both languages', 'en-us', foreign.name, null, foreign.name, null],
    [
      'keeps an English name that was sent equal to the Arabic one',
      'ar-eg',
      house,
      sent(villa, villa),
      names(villa, house),
      null,
    ],
    [
      'keeps an English name that another program changed',
      'ar-eg',
      house,
      changed,
      names('Villa', house),
      null,
    ],
    [
      'keeps an equal English name of another program',
      'ar-eg',
      house,
      foreign,
      names(villa, house),
      null,
    ],
    ['is empty when neither language is sent', 'en-us', {}, null, names(''), null],
    ['replaces a missing English name', 'ar-eg', house, {}, names(house, house), house],
    [
      'replaces an empty English name',
      'ar-eg',
      house,
      { name: names('') },
      names(house, house),
      house,
    ],
    [
      'replaces an English name that was sent empty',
      'ar-eg',
      house,
      { name: names(''), nameStandIn: null },
      names(house, house),
      house,
    ],
  ])('%s', (_title, language, name, stored, expected, nameStandIn) => {
    const fields = requestedUnitFields({ name }, stored, language as Language);
    expect(fields).toEqual({ name: expected, nameStandIn });
  });
});

describe('slugify', () => {
  it.each([
    ['Garden Villa 12', 'garden-villa-12'],
    ['فيلا النخيل ١٢', 'فيلا-النخيل-١٢'],
    ['  A  -  B  ', 'a-b'],
    ['A/B?c#d%e', 'abcde'],
    ['Été', 'été'],
    ['..', ''],
    ['🏠', ''],
    ['- A -', 'a'],
    ['x'.repeat(300), 'x'.repeat(200)],
    [` ${'x'.repeat(300)}`, 'x'.repeat(200)],
  ])('converts %p to %p', (text, slug) => {
    expect(slugify(text)).toBe(slug);
  });
});

describe('slugCandidates', () => {
  it('returns the name alone, then with distinguishing texts, then with the id', () => {
    expect(slugCandidates(['Villa', undefined, 'A 1'], 'id')).toEqual([
      'villa',
      'villa-a-1',
      'villa-id',
    ]);
    expect(slugCandidates(['A', 'a'], 'id')).toEqual(['a', 'a-id']);
    expect(slugCandidates(['..', ''], 'id')).toEqual(['unit-id']);
  });
});
