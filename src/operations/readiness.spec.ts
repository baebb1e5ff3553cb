import { beforeEach, expect, it, jest } from '@jest/globals';
import { Readiness } from './readiness.js';

let time: number;
const hasPrimary = jest.fn<() => Promise<boolean>>();
const status = jest.fn<() => Promise<{ isComplete: boolean }>>();

beforeEach(() => {
  time = 1_000_000;
  hasPrimary.mockReset().mockResolvedValue(true);
  status.mockReset().mockResolvedValue({ isComplete: true });
});

function running(): Readiness {
  const readiness = new Readiness({ hasPrimary } as never, { status } as never, {
    now: () => new Date(time),
  });
  readiness.reportStart();
  return readiness;
}

it('is ready from the start to the first signal to end', async () => {
  const readiness = new Readiness({ hasPrimary } as never, { status } as never, {
    now: () => new Date(time),
  });
  expect(await readiness.report()).toMatchObject({ ready: false, phase: 'starting' });
  readiness.reportStart();
  expect(await readiness.report()).toMatchObject({ ready: true, phase: 'running' });
  readiness.reportShutdown();
  expect(await readiness.report()).toMatchObject({ ready: false, phase: 'draining' });
});

it('is not ready without a primary', async () => {
  const readiness = running();
  hasPrimary.mockResolvedValue(false);
  expect(await readiness.report()).toMatchObject({ ready: false, hasPrimary: false });
});

it('looks at the structure once for all probes of half a minute, of a second when it is incomplete', async () => {
  const readiness = running();
  await Promise.all(Array.from({ length: 20 }, () => readiness.report()));
  time += 29_999;
  await readiness.report();
  expect(status).toHaveBeenCalledTimes(1);
  status.mockResolvedValue({ isComplete: false });
  time += 1;
  expect(await readiness.report()).toMatchObject({ ready: false, isStructureComplete: false });
  status.mockResolvedValue({ isComplete: true });
  time += 999;
  expect(await readiness.report()).toMatchObject({ ready: false });
  time += 1;
  expect(await readiness.report()).toMatchObject({ ready: true });
  expect(status).toHaveBeenCalledTimes(3);
});

it('keeps what it knew of the structure when the database does not say', async () => {
  const readiness = running();
  status.mockRejectedValue(new Error('no'));
  expect(await readiness.report()).toMatchObject({ ready: true, isStructureComplete: true });
});

it('looks again when the clock was set back by an hour', async () => {
  const readiness = running();
  await readiness.report();
  time -= 3_600_000;
  await readiness.report();
  expect(status).toHaveBeenCalledTimes(2);
});
