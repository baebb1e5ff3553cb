import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { HealthService } from './health.service.js';

const respondsWithin = jest.fn<() => Promise<boolean>>();
const hasPrimary = jest.fn<() => Promise<boolean>>();
let health: HealthService;
let now: number;

beforeEach(() => {
  now = 1_000;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  respondsWithin.mockReset().mockResolvedValue(true);
  hasPrimary.mockReset().mockResolvedValue(true);
  health = new HealthService({ respondsWithin, hasPrimary } as never);
});
afterEach(() => void jest.restoreAllMocks());

it('queries the database once for all probes within 250 ms', async () => {
  await Promise.all(Array.from({ length: 50 }, () => health.check()));
  now += 249;
  await health.check();
  expect(respondsWithin).toHaveBeenCalledTimes(1);
});

it('reports a lost or recovered database after 250 ms', async () => {
  expect(await health.check()).toMatchObject({ ok: true });
  for (const ok of [false, true]) {
    respondsWithin.mockResolvedValue(ok);
    now += 250;
    expect(await health.check()).toMatchObject({ ok });
  }
});

it('reports unhealthy during shutdown', async () => {
  await health.check();
  health.reportShutdown();
  expect(await health.check()).toMatchObject({ ok: false });
});

it('is ready from startup until shutdown', async () => {
  expect(await health.readiness()).toMatchObject({ ready: false, phase: 'starting' });
  health.reportStart();
  expect(await health.readiness()).toMatchObject({ ready: true, phase: 'running' });
  health.reportShutdown();
  expect(await health.readiness()).toMatchObject({ ready: false, phase: 'draining' });
});

it('is not ready without a primary', async () => {
  health.reportStart();
  hasPrimary.mockResolvedValueOnce(false);
  expect(await health.readiness()).toMatchObject({ ready: false, hasPrimary: false });
});
