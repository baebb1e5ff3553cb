import { describe, expect, it } from '@jest/globals';
import { assertChangesSize } from './lead-size.js';

describe('assertChangesSize', () => {
  const change = (index: number) => ({ field: `additionalData.${index}`, from: null, to: index });

  it('throws for more than an event can hold, in one large field or many small ones', () => {
    const large = { field: 'data.text', from: 'x'.repeat(4_500_000), to: 'y'.repeat(4_500_000) };
    expect(() => assertChangesSize([large])).toThrow('lead.too_many_changes');
    const changes = Array.from({ length: 150_000 }, (_, index) => change(index));
    expect(() => assertChangesSize(changes)).toThrow('lead.too_many_changes');
    expect(() => assertChangesSize(changes.slice(0, 100_000))).not.toThrow();
  });
});
