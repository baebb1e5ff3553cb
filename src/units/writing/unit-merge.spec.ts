import { describe, expect, it } from '@jest/globals';
import { requestFields } from './unit-merge.js';
import type { UpsertUnitDto } from '../unit.dto.js';

type StoredName = Parameters<typeof requestFields>[1];

describe('the fields of a request', () => {
  it('are stored as they are sent, without what refers to other documents', () => {
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
    expect(requestFields({ ...plain, ...references }, null, 'en-us')).toStrictEqual(plain);
  });

  it('are a storey by its name alone', () => {
    const floor = { name: 'Ground', level: 0 };
    expect(requestFields({ floor }, null, 'en-us')).toStrictEqual({ floor: { name: 'Ground' } });
  });

  it('are pictures, general ones unless the request says what they show', () => {
    const media = [
      { image: 'https://a' },
      { image: 'https://b', imageType: 'floorplan', type: 'video' },
      { image: 'https://c', imageType: null },
    ];
    expect(requestFields({ media }, null, 'en-us')).toStrictEqual({
      media: [
        { image: 'https://a', imageType: null, type: 'image' },
        { image: 'https://b', imageType: 'floorplan', type: 'video' },
        { image: 'https://c', imageType: null, type: 'image' },
      ],
    });
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
  ) => requestFields({ name }, stored, language);

  it('is in the language of the request, or in those that are sent', () => {
    expect(after('Villa')).toEqual({ name: named('Villa'), nameStandIn: null });
    const both = named('Villa', 'فيلا');
    expect(after(both)).toEqual({ name: both, nameStandIn: null });
  });

  it('keeps the translations that are not sent', () => {
    const stored = { name: named('Villa', 'فيلا'), nameStandIn: null };
    expect(after('House', stored)).toEqual({ name: named('House', 'فيلا'), nameStandIn: null });
    expect(after('بيت', stored, 'ar-eg')).toEqual({
      name: named('Villa', 'بيت'),
      nameStandIn: null,
    });
  });

  it('that is only Arabic stands in for the default one, and takes it along', () => {
    const first = after('فيلا', null, 'ar-eg');
    expect(first).toEqual({ name: named('فيلا', 'فيلا'), nameStandIn: 'فيلا' });
    const second = after('بيت', first, 'ar-eg');
    expect(second).toEqual({ name: named('بيت', 'بيت'), nameStandIn: 'بيت' });
    expect(after({ 'en-us': 'House' }, second)).toEqual({
      name: named('House', 'بيت'),
      nameStandIn: null,
    });
  });

  it('that was sent stays, even when it is the same as the Arabic one', () => {
    const sent = after(named('بيت', 'بيت'));
    expect(sent).toEqual({ name: named('بيت', 'بيت'), nameStandIn: null });
    expect(after('فيلا', sent, 'ar-eg').name).toEqual(named('بيت', 'فيلا'));
  });

  it('that another program has changed since is no stand-in any more', () => {
    const stored = { name: named('Villa', 'فيلا'), nameStandIn: 'فيلا' };
    expect(after('بيت', stored, 'ar-eg').name).toEqual(named('Villa', 'بيت'));
  });

  it('of a unit that does not say is a stand-in where both are the same in Arabic letters', () => {
    const arabic = { name: named('فيلا', 'فيلا') };
    expect(after('بيت', arabic, 'ar-eg').name).toEqual(named('بيت', 'بيت'));
    const latin = { name: named('Villa', 'Villa') };
    expect(after('بيت', latin, 'ar-eg').name).toEqual(named('Villa', 'بيت'));
    const different = { name: named('دار', 'فيلا') };
    expect(after('بيت', different, 'ar-eg').name).toEqual(named('دار', 'بيت'));
  });

  it('is empty where nobody has named it', () => {
    expect(after({})).toEqual({ name: { 'en-us': '' }, nameStandIn: null });
  });

  it('follows the Arabic one where there is none', () => {
    for (const stored of [{}, { name: named('') }, { name: named(''), nameStandIn: null }]) {
      expect(after('بيت', stored, 'ar-eg')).toEqual({
        name: named('بيت', 'بيت'),
        nameStandIn: 'بيت',
      });
    }
  });
});
