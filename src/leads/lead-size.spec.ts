import { describe, expect, it } from '@jest/globals';
import { refuseLargeChanges } from './lead-size.js';

describe('refuseLargeChanges', () => {
  const change = (index: number) => ({ field: `additionalData.${index}`, from: null, to: index });

  it('refuses more than an event can hold, in one large field or many small ones', () => {
    const large = { field: 'data.text', from: 'x'.repeat(4_500_000), to: 'y'.repeat(4_500_000) };
    expect(() => refuseLargeChanges([large])).toThrow('lead.too_many_changes');
    const changes = Array.from({ length: 150_000 }, (_, index) => change(index));
    expect(() => refuseLargeChanges(changes)).toThrow('lead.too_many_changes');
    expect(() => refuseLargeChanges(changes.slice(0, 100_000))).not.toThrow();
  });
});
