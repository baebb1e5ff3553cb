import { describe, expect, it } from '@jest/globals';
import { derivedPhones, isDerived, storedPhones } from './lead-phones.js';

const data = { phoneNumber: '01001234567', phoneNumber2: '02 2735 1234' };
const phoneKeys = ['+201001234567', '+20227351234'];
const phoneKeysOf = '["EG","01001234567","02 2735 1234"]';

describe('derivedPhones', () => {
  it('returns comparison keys with the data and country that they came from', () => {
    expect(derivedPhones(data, 'EG')).toEqual({ phoneKeys, phoneKeysOf });
    expect(derivedPhones({ phoneNumber: '0501234567' }, 'SA')).toEqual({
      phoneKeys: ['+966501234567'],
      phoneKeysOf: '["SA","0501234567"]',
    });
    for (const none of [undefined, null, {}, { phoneNumber: 'N/A' }]) {
      expect(derivedPhones(none, 'EG')).toEqual({ phoneKeys: [], phoneKeysOf: '["EG"]' });
    }
  });

  it('returns one key for two spellings of a number', () => {
    const twice = { phoneNumber: '01001234567', phoneNumber2: '+20 100 123 4567' };
    expect(derivedPhones(twice, 'EG').phoneKeys).toEqual(['+201001234567']);
  });
});

describe('storedPhones', () => {
  it('returns stored keys while data and country are unchanged', () => {
    const stored = { phoneKeys: ['kept'], phoneKeysOf };
    expect(storedPhones({ data, ...stored }, 'EG')).toEqual(stored);
    expect(isDerived({ data, ...stored }, 'EG')).toBe(true);
  });

  it('recomputes keys when data or country has changed', () => {
    const stored = { phoneKeys: ['kept'], phoneKeysOf };
    const changed = { ...data, phoneNumber: '01112223334' };
    expect(storedPhones({ data: changed, ...stored }, 'EG')).toEqual(derivedPhones(changed, 'EG'));
    expect(storedPhones({ data, ...stored }, 'SA')).toEqual(derivedPhones(data, 'SA'));
    expect(isDerived({ data: changed, ...stored }, 'EG')).toBe(false);
    expect(isDerived({ data, ...stored }, 'SA')).toBe(false);
    expect(isDerived({ data }, 'EG')).toBe(false);
  });

  it('computes keys when none are stored', () => {
    for (const stored of [{}, { phoneKeysOf }, { phoneKeys: null as never, phoneKeysOf }]) {
      expect(storedPhones({ data, ...stored }, 'EG')).toEqual({ phoneKeys, phoneKeysOf });
    }
    expect(storedPhones({ data, phoneKeys: ['kept'] }, 'EG').phoneKeys).toEqual(phoneKeys);
  });
});
