import { describe, expect, it } from '@jest/globals';
import { mask, maskedName, maskedUrl, maskedValue } from './masking.js';

describe('masking', () => {
  it.each(['Mona', '1', 7, false, ['x'], { a: 1 }, new Date(0)])('hides %p', (value) => {
    expect(maskedValue(value, false)).toBe(mask);
    expect(maskedValue(value, true)).not.toContain('•');
  });

  it('shows a dash for a missing value', () => {
    for (const value of [null, undefined, '']) expect(maskedValue(value, false)).toBe('–');
  });

  it('hides names of fields that may hold personal data', () => {
    for (const name of ['name', 'phoneNumber2', 'utm.source', 'lead-source']) {
      expect(maskedName(name, false)).toBe(name);
    }
    for (const name of ['Mona Adel', 'x01001234567', '1', 'm@example.com', 'a'.repeat(41), 'منى']) {
      expect(maskedName(name, false)).toBe(mask);
      expect(maskedName(name, true)).toBe(name);
    }
  });
});

it.each([
  ['https://crm.example.com/hooks', 'https://crm.example.com/hooks'],
  ['https://crm.example.com/v2/hook/x', `https://crm.example.com/v2/${mask}/${mask}`],
  ['https://user:pass@crm.example.com/', 'https://crm.example.com/'],
  ['https://crm.example.com/hook?token=abc', `https://crm.example.com/hook?${mask}`],
  ['https://hooks.example.com/T0123/x9YzPq7', `https://hooks.example.com/${mask}/${mask}`],
  ['no address', mask],
])('the address %s is shown as %s', (address, shown) => expect(maskedUrl(address)).toBe(shown));
