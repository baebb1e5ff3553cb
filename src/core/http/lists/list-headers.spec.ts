import { expect, it, jest } from '@jest/globals';
import { pageBody } from './list-headers.js';

it('says how a list goes on only where its page could be made', () => {
  const header = jest.fn();
  const pagination = { next: 'cursor' };
  const bodyOf = (write: () => void) =>
    pageBody(
      { header } as never,
      { asOf: new Date(0), data: [write], pagination } as never,
    ).toString();
  expect(() =>
    bodyOf(() => {
      throw new Error('It cannot be shown.');
    }),
  ).toThrow('It cannot be shown.');
  expect(header).not.toHaveBeenCalled();
  expect(bodyOf(() => undefined)).toBe('{"data":[],"pagination":{"next":"cursor"}}');
  expect(header.mock.calls).toEqual([
    ['x-next-cursor', 'cursor'],
    ['x-updated-as-of', '1970-01-01T00:00:00.000Z'],
  ]);
});
