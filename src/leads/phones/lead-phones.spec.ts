import { describe, expect, it } from '@jest/globals';
import type { LeadDocument } from '../lead.schema.js';
import { derivePhoneKeys, hasCurrentPhoneKeys, currentPhoneKeys } from './lead-phones.js';

const data = { phoneNumber: '01001234567', phoneNumber2: '02 2735 1234' };
const phoneKeysOf = '[3,"EG","01001234567","02 2735 1234"]';
const twice = { phoneNumber: '01001234567', phoneNumber2: '+20 100 123 4567' };

describe('derivePhoneKeys', () => {
  it.each([
    [data, 'EG', ['+201001234567', '+20227351234'], phoneKeysOf],
    [twice, 'EG', ['+201001234567'], '[3,"EG","01001234567","+20 100 123 4567"]'],
    [{ phoneNumber: '0501234567' }, 'SA', ['+966501234567'], '[3,"SA","0501234567"]'],
    [{ phoneNumber: 'N/A' }, 'EG', [], '[3,"EG"]'],
    [{}, 'EG', [], '[3,"EG"]'],
    [null, 'EG', [], '[3,"EG"]'],
    [undefined, 'EG', [], '[3,"EG"]'],
  ] as const)('returns the comparison keys of %j in %s with their origin', (...row) => {
    const [sent, country, phoneKeys, origin] = row;
    expect(derivePhoneKeys(sent, country)).toEqual({ phoneKeys, phoneKeysOf: origin });
  });
});

describe('currentPhoneKeys', () => {
  const changed = { ...data, phoneNumber: '01112223334' };

  it.each<[string, Partial<LeadDocument>, 'EG' | 'SA', isStored: boolean, isDerived: boolean]>([
    ['unchanged data', { phoneKeys: ['kept'], phoneKeysOf }, 'EG', true, true],
    ['changed data', { phoneKeys: ['kept'], phoneKeysOf, data: changed }, 'EG', false, false],
    ['another country', { phoneKeys: ['kept'], phoneKeysOf }, 'SA', false, false],
    ['no keys', { phoneKeysOf }, 'EG', false, true],
    ['null as keys', { phoneKeys: null as never, phoneKeysOf }, 'EG', false, true],
    ['no origin', { phoneKeys: ['kept'] }, 'EG', false, false],
    ['nothing stored', {}, 'EG', false, false],
  ])('returns the stored keys only if they match the data and the country: %s', (...row) => {
    const [, fields, country, isStored, isOriginKept] = row;
    const lead = { data, ...fields };
    const expected = isStored ? { phoneKeys: ['kept'], phoneKeysOf } : undefined;
    expect(currentPhoneKeys(lead, country)).toEqual(
      expected ?? derivePhoneKeys(lead.data, country),
    );
    expect(hasCurrentPhoneKeys(lead, country)).toBe(isOriginKept);
  });
});
