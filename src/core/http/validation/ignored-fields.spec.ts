import { describe, expect, it, jest } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import { setIgnoredFields } from './unknown-names.js';

const headersFor = (names: readonly string[], earlier?: string) => {
  const header = jest.fn();
  const reply = { header, getHeader: () => earlier } as unknown as FastifyReply;
  setIgnoredFields(reply, names);
  return header.mock.calls;
};

describe('setIgnoredFields', () => {
  it.each([
    [['status'], 'status'],
    [['phone', 'a,b', 'é🏠\r\n\0'], 'phone, a?b, ?????'],
    [['x'.repeat(100)], 'x'.repeat(64)],
    [Array.from({ length: 30 }, () => 'a'), Array.from({ length: 20 }, () => 'a').join(', ')],
  ])('names %j', (names, value) => {
    expect(headersFor(names)).toEqual([['x-ignored-fields', value]]);
  });

  it('adds to earlier names', () => {
    expect(headersFor(['b'], 'a, c')).toEqual([['x-ignored-fields', 'a, c, b']]);
  });

  it('sets no header without names', () => {
    expect(headersFor([])).toEqual([]);
  });
});
