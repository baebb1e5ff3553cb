import { describe, expect, it, jest } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import { setIgnoredFields } from './ignored-fields.js';

const told = (names: readonly string[]) => {
  const header = jest.fn();
  setIgnoredFields({ header } as unknown as FastifyReply, names);
  return header.mock.calls;
};

describe('setIgnoredFields', () => {
  it.each([
    [['status'], 'status'],
    [['phone', 'a,b', 'é🏠\r\n\0'], 'phone, a?b, ?????'],
    [['x'.repeat(100)], 'x'.repeat(64)],
    [Array.from({ length: 30 }, () => 'a'), Array.from({ length: 20 }, () => 'a').join(', ')],
  ])('names %j', (names, value) => {
    expect(told(names)).toEqual([['x-ignored-fields', value]]);
  });

  it('sets no header for nothing', () => {
    expect(told([])).toEqual([]);
  });
});
