import { describe, expect, it } from '@jest/globals';
import { Long } from 'mongodb';
import {
  clearPhoneCache,
  cachedPhoneCount,
  maxCachedPhones,
  phoneKey,
  phonesOf,
  phoneFormats,
} from './phone-number.js';

describe('phoneKey', () => {
  it.each([
    ['01001234567', '+201001234567'],
    ['+20 100 123 4567', '+201001234567'],
    ['0020-100-1234567', '+201001234567'],
    ['٠١٠٠١٢٣٤٥٦٧', '+201001234567'],
    ['02 2735 1234', '+20227351234'],
    ['+966 50 123 4567', '+966501234567'],
    ['+1 (212) 555-0100', '+12125550100'],
    ['ext. 1', '1'],
    ['9'.repeat(30), '9'.repeat(30)],
    ['ask for Mona', 'ask for Mona'],
    ['+', '+'],
  ])('converts %p in Egypt to %s', (phone, key) => expect(phoneKey(phone, 'EG')).toBe(key));

  it.each(['0123456789', '٠١٢٣٤٥٦٧٨٩', '۰۱۲۳۴۵۶۷۸۹', '０１２３４５６７８９'])(
    'converts each digit of %s to ASCII',
    (digits) => {
      const read = Array.from(digits, (digit) => phoneKey(`ext. ${digit}`, 'EG'));
      expect(read.join('')).toBe('0123456789');
    },
  );

  it('returns different keys for different countries', () => {
    expect(phoneKey('0501234567', 'SA')).toBe('+966501234567');
    expect(phoneKey('0501234567', 'AE')).toBe('+971501234567');
  });

  it('caches a limited number of phones, and none longer than 64 characters', () => {
    const before = cachedPhoneCount();
    phoneKey('9'.repeat(65), 'EG');
    expect(cachedPhoneCount()).toBe(before);
    phoneKey('9'.repeat(64), 'EG');
    expect(cachedPhoneCount()).toBe(before + 1);
    for (let number = 0; number < maxCachedPhones + 10; number++) phoneKey(`0${number}`, 'EG');
    expect(cachedPhoneCount()).toBe(maxCachedPhones);
    expect(phoneKey('01001234567', 'EG')).toBe('+201001234567');
    clearPhoneCache();
    expect(cachedPhoneCount()).toBe(0);
  });

  it.each(['9'.repeat(100_000), '\0', '\ud800', '+'.repeat(1_000), '(((((', '$t(x)'])(
    'returns quickly for the unusual string at index %#',
    (phone) => expect(phoneKey(phone, 'EG')).toEqual(expect.any(String)),
  );
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
