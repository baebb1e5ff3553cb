import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { HealthService } from './health.service.js';

describe('HealthService', () => {
  let time: number;
  const respondsWithin = jest.fn<(milliseconds: number) => Promise<boolean>>();

  beforeEach(() => {
    time = 1_000_000;
    respondsWithin.mockReset().mockResolvedValue(true);
  });

  function service(): HealthService {
    return new HealthService({ respondsWithin } as never, { now: () => new Date(time) });
  }

  it('asks the database once for all probes of a quarter of a second', async () => {
    const health = service();
    await Promise.all(Array.from({ length: 50 }, () => health.check()));
    time += 249;
    await health.check();
    expect(respondsWithin).toHaveBeenCalledTimes(1);
  });

  it('sees a database that is gone, or back, after a quarter of a second', async () => {
    const health = service();
    expect(await health.check()).toMatchObject({ ok: true });
    respondsWithin.mockResolvedValue(false);
    time += 250;
    expect(await health.check()).toMatchObject({ ok: false });
    respondsWithin.mockResolvedValue(true);
    time += 250;
    expect(await health.check()).toMatchObject({ ok: true });
  });

  it('asks again when the clock was set back by an hour', async () => {
    const health = service();
    await health.check();
    time -= 3_600_000;
    await health.check();
    expect(respondsWithin).toHaveBeenCalledTimes(2);
  });

  it('is not well while it shuts down, whatever the last ping said', async () => {
    const health = service();
    await health.check();
    health.reportShutdown();
    expect(await health.check()).toMatchObject({ ok: false });
  });
});
