import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { foldName } from './fold-name.js';

describe('foldName', () => {
  it.each([
    ['Palm Meadows', '\u200E PALM\u00A0\u3000meadows\u0085'],
    ['أبراج', 'ابراج'],
    ['إسكان', 'آسكان'],
    ['ا\u0654برج', 'أبرج'],
    ['مدينتى', 'مدينتي'],
    ['القاهرة', 'القاهره'],
    ['مُرُوجٌ', 'مروج'],
    ['النـخـيل', 'النخيل'],
    ['ؤ', 'و\u200F\u0654'],
    ['Cafe\u064B\u0301', 'Café'],
  ])('returns the same string for %j and %j', (one, other) =>
    expect(foldName(one)).toBe(foldName(other)),
  );

  it.each([
    ['Palm Meadows', 'PalmMeadows'],
    ['Élan', 'Elan'],
    ['ه', 'ح'],
    ['ك', 'ق'],
    ['Palm 1', 'Palm ١'],
  ])('returns different strings for %j and %j', (one, other) =>
    expect(foldName(one)).not.toBe(foldName(other)),
  );

  it('returns its own result unchanged', () => {
    const unit = fc.oneof(
      fc.constantFrom(...'اأإآيىئوؤهةـ aB\u200E\u0654\u0653\u064B\u0301\u0323'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    );
    fc.assert(
      fc.property(fc.string({ unit }), (name) => {
        expect(foldName(foldName(name))).toBe(foldName(name));
      }),
      { numRuns: 10_000 },
    );
  });

  it('returns quickly for a letter with thousands of combining marks', () => {
    const marks = '\u0345\u0301'.repeat(150_000);
    expect(foldName(`E${marks}`)).toBe(foldName(`e${marks}`));
  });
});
