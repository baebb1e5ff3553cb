import { describe, expect, it } from '@jest/globals';
import { ByteBudget } from './byte-budget.js';

const kibibyte = 1_024;
const budget = () => new ByteBudget(1_000 * kibibyte, 400 * kibibyte);

describe('a budget of bytes', () => {
  it('gives an endpoint its share, and all of them together no more than there is', () => {
    const all = budget();
    const endpoints = [1, 2, 3].map(() => all.forEndpoint());
    const taken = endpoints.map((one) => [one.take(300 * kibibyte), one.take(300 * kibibyte)]);
    expect(taken).toEqual(Array.from({ length: 3 }, () => [true, false]));
    expect(all.forEndpoint().take(300 * kibibyte)).toBe(false);
    endpoints[0]?.release(300 * kibibyte);
    expect(all.forEndpoint().take(300 * kibibyte)).toBe(true);
  });

  it('never keeps a small delivery waiting, and a huge one only behind others', () => {
    const all = budget();
    const [huge, other] = [all.forEndpoint(), all.forEndpoint()];
    expect(huge.take(5_000 * kibibyte)).toBe(true);
    expect(other.take(64 * kibibyte)).toBe(true);
    expect(other.take(65 * kibibyte)).toBe(false);
    huge.release(5_000 * kibibyte);
    expect(other.take(65 * kibibyte)).toBe(true);
    expect(huge.take(5_000 * kibibyte)).toBe(false);
  });
});
