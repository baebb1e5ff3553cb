import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { HealthService } from './health.service.js';

const respondsWithin = jest.fn<() => Promise<boolean>>();
let health: HealthService;
let now: number;

beforeEach(() => {
  now = 1_000;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  respondsWithin.mockReset().mockResolvedValue(true);
  health = new HealthService({ respondsWithin } as never);
});
afterEach(() => void jest.restoreAllMocks());

it('HealthService queries the database once for all probes within 250 ms', async () => {
  await Promise.all(Array.from({ length: 50 }, () => health.check()));
  now += 249;
  await health.check();
  expect(respondsWithin).toHaveBeenCalledTimes(1);
});

it('HealthService reports a lost or recovered database after 250 ms', async () => {
  expect(await health.check()).toMatchObject({ ok: true });
  for (const ok of [false, true]) {
    respondsWithin.mockResolvedValue(ok);
    now += 250;
    expect(await health.check()).toMatchObject({ ok });
  }
});
