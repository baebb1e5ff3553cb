import { describe, expect, it } from '@jest/globals';
import { messageTexts } from '../../test/support/message-texts.js';

const placeholdersIn = (text = '') => [...new Set(text.match(/\{\w+\}/g))].toSorted();

describe('the message catalogues', () => {
  const { 'en-us': english, 'ar-eg': arabic } = messageTexts;

  it('have the same keys and placeholders in every language', () => {
    expect(Object.keys(arabic).toSorted()).toEqual(Object.keys(english).toSorted());
    for (const [key, text] of Object.entries(english)) {
      expect([key, placeholdersIn(arabic[key])]).toEqual([key, placeholdersIn(text)]);
    }
  });

  it('use only the script of their language', () => {
    for (const text of Object.values(arabic)) expect(text).toMatch(/[\u0600-\u06ff]/);
    for (const text of Object.values(english)) expect(text).not.toMatch(/[\u0600-\u06ff]/);
  });
});
