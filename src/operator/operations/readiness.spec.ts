import { expect, it, jest } from '@jest/globals';
import { Readiness } from './readiness.js';

const hasPrimary = jest.fn<() => Promise<boolean>>().mockResolvedValue(true);

it('is ready from the start to the first signal to end', async () => {
  const readiness = new Readiness({ hasPrimary } as never);
  expect(await readiness.report()).toMatchObject({ ready: false, phase: 'starting' });
  readiness.reportStart();
  expect(await readiness.report()).toMatchObject({ ready: true, phase: 'running' });
  readiness.reportShutdown();
  expect(await readiness.report()).toMatchObject({ ready: false, phase: 'draining' });
});

it('is not ready without a primary', async () => {
  const readiness = new Readiness({ hasPrimary } as never);
  readiness.reportStart();
  hasPrimary.mockResolvedValueOnce(false);
  expect(await readiness.report()).toMatchObject({ ready: false, hasPrimary: false });
});
