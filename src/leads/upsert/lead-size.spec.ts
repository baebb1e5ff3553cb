import { describe, expect, it } from '@jest/globals';
import { BSON } from 'mongodb';
import { assertChangesSize, assertLeadSize } from './lead-decision.js';

const mebibyte = 1_048_576;

/** A text that makes a document exactly so large. */
function textFor(bytes: number, document: (text: string) => object): string {
  return 'x'.repeat(bytes - BSON.calculateObjectSize(document('')));
}

describe('assertLeadSize', () => {
  const lead = (text: string) => ({ data: { text }, additionalData: { other: 1 } });

  it('gives the size of both objects together, of up to 4 MiB', () => {
    expect(assertLeadSize(lead('abc'))).toBe(BSON.calculateObjectSize(lead('abc')));
    const text = textFor(4 * mebibyte, lead);
    expect(assertLeadSize(lead(text))).toBe(4 * mebibyte);
    expect(() => assertLeadSize(lead(`${text}x`))).toThrow(
      expect.objectContaining({
        message: 'lead.too_large',
        messages: [{ key: 'leads.tooLarge', values: { limit: 4 } }],
      }),
    );
  });

  it('judges nothing else of the lead', () => {
    const large = { ...lead('abc'), text: 'x'.repeat(5 * mebibyte) };
    expect(assertLeadSize(large)).toBe(assertLeadSize(lead('abc')));
  });
});

describe('assertChangesSize', () => {
  const changes = (text: string) => [{ field: 'data.text', from: null, to: text }];

  it('gives the size of up to 8 MiB', () => {
    const text = textFor(8 * mebibyte, (to) => ({ changes: changes(to) }));
    expect(assertChangesSize(changes(text))).toBe(8 * mebibyte);
    expect(() => assertChangesSize(changes(`${text}x`))).toThrow('lead.too_many_changes');
  });

  it('throws for many small ones too', () => {
    const many = Array.from({ length: 150_000 }, (_, index) => {
      return { field: `additionalData.${index}`, from: null, to: index };
    });
    expect(() => assertChangesSize(many)).toThrow('lead.too_many_changes');
    expect(() => assertChangesSize(many.slice(0, 100_000))).not.toThrow();
  });
});
