import { describe, expect, it } from '@jest/globals';
import { Long } from 'mongodb';
import {
  allPhoneKeys,
  clearPhoneCache,
  cachedPhoneCount,
  maxCachedPhones,
  phoneKeys,
  phonesOf,
  phoneFormats,
} from './phone-number.js';

describe('phoneKeys', () => {
  it('returns different keys for different countries', () => {
    expect(phoneKeys('0501234567', 'SA')).toEqual(['+966501234567']);
    expect(phoneKeys('0501234567', 'AE')).toEqual(['+971501234567']);
  });

  it('caches a limited number of phones, and none longer than 64 characters', () => {
    const before = cachedPhoneCount();
    phoneKeys('9'.repeat(65), 'EG');
    expect(cachedPhoneCount()).toBe(before);
    phoneKeys('9'.repeat(64), 'EG');
    expect(cachedPhoneCount()).toBe(before + 1);
    for (let number = 0; number < maxCachedPhones + 10; number++) phoneKeys(`0${number}`, 'EG');
    expect(cachedPhoneCount()).toBe(maxCachedPhones);
    expect(phoneKeys('01001234567', 'EG')).toEqual(['+201001234567']);
    clearPhoneCache();
    expect(cachedPhoneCount()).toBe(0);
  });
});

describe('allPhoneKeys', () => {
  it('returns each key once', () => {
    const phones = ['01001234567', '0020 100 1234567', 'N/A', '01001234567 / 01112223334'];
    expect(allPhoneKeys(phones, 'EG')).toEqual(['+201001234567', '+201112223334']);
  });
});

describe('phoneFormats', () => {
  it('returns the E.164, national, international and integer forms and the sent string', () => {
    const spellings = phoneFormats('+20-100 1234567', 'EG');
    const international = ['+201001234567', '201001234567', '00201001234567', '+20 10 01234567'];
    const others = [
      '+20-100 1234567',
      '01001234567',
      '010 01234567',
      201_001_234_567,
      1_001_234_567,
    ];
    expect(spellings).toEqual(expect.arrayContaining([...international, ...others]));
    expect(new Set(spellings).size).toBe(spellings.length);
  });

  it.each([
    ['ext. 1', ['ext. 1', '1', 1]],
    ['Mona', ['Mona']],
    ['1e3', ['1e3', '13', 13]],
    // An integer beyond the precision of a double is not a spelling.
    ['9'.repeat(20), ['9'.repeat(20)]],
  ])('returns the string %s and its digits when it cannot be parsed', (phone, spellings) => {
    expect(phoneFormats(phone, 'EG')).toEqual(spellings);
  });

  it('returns the cached array for a repeated phone', () => {
    expect(phoneFormats('01007654321', 'EG')).toBe(phoneFormats('01007654321', 'EG'));
  });
});

describe('phonesOf', () => {
  it('returns both phones, or none without data', () => {
    const [phoneNumber, phoneNumber2] = ['01001234567', '01112223334'];
    expect(phonesOf({ phoneNumber, phoneNumber2 })).toEqual([phoneNumber, phoneNumber2]);
    expect(phonesOf({ phoneNumber2 })).toEqual([phoneNumber2]);
    for (const data of [null, undefined, {}]) expect(phonesOf(data)).toEqual([]);
  });

  it('ignores strings longer than 64 characters', () => {
    const longest = '9'.repeat(64);
    expect(phonesOf({ phoneNumber: longest, phoneNumber2: `${longest}9` })).toEqual([longest]);
  });

  it.each(['01001', '٠١٠٠١', 12_345, Long.fromString('12345678901234567')])(
    'returns %p as a string',
    (phoneNumber) => expect(phonesOf({ phoneNumber })).toEqual([String(phoneNumber)]),
  );
  it.each(['', ' ', '-', 'N/A', '0', 'ext. 1234', 0, -1, true, null, {}, ['01001234567']])(
    'returns no phone for %p',
    (phoneNumber2) => expect(phonesOf({ phoneNumber2 })).toEqual([]),
  );
});
