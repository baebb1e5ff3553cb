import { describe, expect, it } from '@jest/globals';
import { requestedUnitFields, slugCandidates, slugify } from './unit-fields.js';
import type { UpsertUnitDto } from '../unit.dto.js';

type StoredName = Parameters<typeof requestedUnitFields>[1];

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
    const references = {
      compound: 'palm',
      phase: 'one',
      propertyType: 'villa',
      unitDesign: 'a',
      amenities: ['pool'],
    };
    expect(requestedUnitFields({ ...plain, ...references }, null, 'en-us')).toStrictEqual(plain);
  });
});

describe('the name of a unit', () => {
  const named = (english: string, arabic?: string) => ({
    'en-us': english,
    ...(arabic !== undefined && { 'ar-eg': arabic }),
  });
  const after = (
    name: NonNullable<UpsertUnitDto['name']>,
    stored: StoredName = null,
    language: 'en-us' | 'ar-eg' = 'en-us',
  ) => requestedUnitFields({ name }, stored, language);

  it('is set in the language of the request, or in the languages of an object', () => {
    expect(after('Villa')).toEqual({ name: named('Villa'), nameStandIn: null });
    const both = named('Villa', 'فيلا');
    expect(after(both)).toEqual({ name: both, nameStandIn: null });
  });

  it('keeps translations that are not sent', () => {
    const stored = { name: named('Villa', 'فيلا'), nameStandIn: null };
    expect(after('House', stored)).toEqual({ name: named('House', 'فيلا'), nameStandIn: null });
    expect(after('بيت', stored, 'ar-eg')).toEqual({
      name: named('Villa', 'بيت'),
      nameStandIn: null,
    });
  });

  it('uses the Arabic name as the English one until an English name is sent', () => {
    const first = after('فيلا', null, 'ar-eg');
    expect(first).toEqual({ name: named('فيلا', 'فيلا'), nameStandIn: 'فيلا' });
    const second = after('بيت', first, 'ar-eg');
    expect(second).toEqual({ name: named('بيت', 'بيت'), nameStandIn: 'بيت' });
    expect(after({ 'en-us': 'House' }, second)).toEqual({
      name: named('House', 'بيت'),
      nameStandIn: null,
    });
  });

  it('keeps a sent English name that equals the Arabic name', () => {
    const sent = after(named('بيت', 'بيت'));
    expect(sent).toEqual({ name: named('بيت', 'بيت'), nameStandIn: null });
    expect(after('فيلا', sent, 'ar-eg').name).toEqual(named('بيت', 'فيلا'));
  });

  it('keeps an English name that another program changed', () => {
    const stored = { name: named('Villa', 'فيلا'), nameStandIn: 'فيلا' };
    expect(after('بيت', stored, 'ar-eg').name).toEqual(named('Villa', 'بيت'));
  });

  it('keeps an English name that another program stored, even in Arabic letters', () => {
    const stored = { name: named('فيلا', 'فيلا') };
    expect(after('بيت', stored, 'ar-eg').name).toEqual(named('فيلا', 'بيت'));
  });

  it('is empty when neither language is sent', () => {
    expect(after({})).toEqual({ name: { 'en-us': '' }, nameStandIn: null });
  });

  it('uses the Arabic name when the English one is empty', () => {
    for (const stored of [{}, { name: named('') }, { name: named(''), nameStandIn: null }]) {
      expect(after('بيت', stored, 'ar-eg')).toEqual({
        name: named('بيت', 'بيت'),
        nameStandIn: 'بيت',
      });
    }
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
  ])('returns for %p the slug %p', (text, slug) => {
    expect(slugify(text)).toBe(slug);
  });
});

describe('slugCandidates', () => {
  it('appends distinguishing texts, then the id', () => {
    expect(slugCandidates(['Villa', undefined, 'A 1'], 'id')).toEqual([
      'villa',
      'villa-a-1',
      'villa-id',
    ]);
    expect(slugCandidates(['A', 'a'], 'id')).toEqual(['a', 'a-id']);
    expect(slugCandidates(['..', ''], 'id')).toEqual(['unit-id']);
  });
});
