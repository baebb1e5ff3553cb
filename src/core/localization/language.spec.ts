import { describe, expect, it } from '@jest/globals';
import { localizedText } from './language.js';

describe('localizedText', () => {
  it('returns the text in the default language when a translation is missing', () => {
    expect(localizedText({ 'en-us': 'Lake', 'ar-eg': '' }, 'ar-eg')).toBe('Lake');
    expect(localizedText(undefined, 'ar-eg')).toBe('');
  });
});
