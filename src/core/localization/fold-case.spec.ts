import { describe, expect, it } from '@jest/globals';
import { foldCase, caseVariants } from './fold-case.js';

describe('foldCase', () => {
  it.each([
    ['Palm', 'PALM'],
    ['Straße', 'STRAẞE'],
    ['ΟΔΥΣΣΕΥΣ ΚΑΙ', 'οδυσσευσ και'],
    ['ﬁn', 'FIN'],
    ['É', 'e\u0301'],
    ['Ệ', 'e\u0302\u0323'],
    ['ǰ', 'J\u030C'],
    ['İ', 'i\u0307'],
    ['Ꮳ', 'ꮳ'],
    ['თბილისი', 'ᲗᲑᲘᲚᲘᲡᲘ'],
  ])('returns the same string for %p and %p', (one, other) =>
    expect(foldCase(one)).toBe(foldCase(other)),
  );

  it('returns quickly for a letter with thousands of combining marks', () => {
    const marks = '\u0345\u0301'.repeat(150_000);
    expect(foldCase(`E${marks}`)).toBe(foldCase(`e${marks}`));
    expect(foldCase(`É${'\u0302'.repeat(20)}`)).toBe(foldCase(`e\u0301${'\u0302'.repeat(20)}`));
  });

  it.each([
    ['Elan', 'Élan'],
    ['mike', 'mıke'],
    ['I', 'İ'],
    ['\u200b', ''],
    ['ا', 'أ'],
  ])('returns different strings for %p and %p', (one, other) =>
    expect(foldCase(one)).not.toBe(foldCase(other)),
  );
});

describe('caseVariants', () => {
  it('returns the sent string and both cases, without duplicates', () => {
    expect(caseVariants('Straße')).toEqual(['Straße', 'strasse', 'STRASSE']);
    expect(caseVariants('بحيرة')).toEqual(['بحيرة']);
  });
});
