import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getModelToken } from '@nestjs/mongoose';
import fc from 'fast-check';
import type { Model } from 'mongoose';
import { Clock } from '../../src/core/configuration/clock.js';
import { type Lease, type LeaseDocument, Leases } from '../../src/core/database/leases/leases.js';
import { randomDatabaseUri, startTestService, type TestService } from '../support/test-service.js';

const durationMs = 600_000;
const dayMs = 86_400_000;

let service: TestService;
let names = 0;

beforeAll(async () => {
  service = await startTestService({}, randomDatabaseUri());
});
afterAll(() => service.stop());

/** Creates processes that share one lease and have clocks that differ by days. */
function newLease(count: number) {
  const model = service.service.app.get<Model<LeaseDocument>>(getModelToken('Lease'));
  const name = `work ${(names += 1)}`;
  const time = { now: 1_000_000 };
  const processes = Array.from({ length: count }, (_, index) => {
    const clock = new Clock();
    clock.now = () => new Date(time.now + (index % 3) * dayMs - dayMs);
    return new Leases(model, clock).create(name, durationMs);
  });
  const stored = service.db.collection<LeaseDocument>('leases');
  return {
    processes,
    /** Passes half of the duration, after which each process asks the database again. */
    passHalfDuration: () => (time.now += durationMs / 2),
    pass: (milliseconds: number) => (time.now += milliseconds),
    end: () => stored.updateOne({ name }, { $set: { until: new Date(0) } }),
    until: async () => (await stored.findOne({ name }))?.until?.getTime(),
  };
}

const acquireAll = async (processes: readonly Lease[]) => {
  const responses = await Promise.all(processes.map((one) => one.acquire()));
  return responses.flatMap((isMine, index) => (isMine ? [index] : []));
};

describe('a lease', () => {
  it('matches the model when processes acquire it, release it or stop responding', async () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('ask'), by: fc.nat(2) }) },
      fc.record({ kind: fc.constantFrom('release', 'end'), by: fc.nat(2) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        const { processes, passHalfDuration, end } = newLease(3);
        let holder: number | null = null;
        // A process learns only from its next request that it has lost the lease.
        const assumesHeld = [false, false, false];
        for (const { kind, by } of steps) {
          passHalfDuration();
          if (kind === 'end') {
            await end();
            holder = null;
          } else if (kind === 'release') {
            await processes[by]?.release();
            if (holder === by && assumesHeld[by]) holder = null;
            assumesHeld[by] = false;
          } else {
            holder ??= by;
            assumesHeld[by] = holder === by;
            expect(await processes[by]?.acquire()).toBe(assumesHeld[by]);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is acquired by exactly one process when it is new or expired', async () => {
    const { processes, passHalfDuration, end } = newLease(6);
    expect(await acquireAll(processes)).toHaveLength(1);
    for (let round = 0; round < 5; round += 1) {
      await end();
      passHalfDuration();
      expect(await acquireAll(processes)).toHaveLength(1);
    }
  });

  it('expires by the clock of the database server', async () => {
    const { processes, until } = newLease(1);
    const before = Date.now();
    await processes[0]?.acquire();
    const end = await until();
    // The server shares the clock of this machine.
    expect(end).toBeGreaterThanOrEqual(before + durationMs);
    expect(end).toBeLessThanOrEqual(Date.now() + durationMs);
  });

  it('needs one command per half of its duration', async () => {
    const { processes, pass, until } = newLease(2);
    await acquireAll(processes);
    const renewals = new Set<number | undefined>();
    for (let step = 0; step < 200; step += 1) {
      pass(durationMs / 100);
      await acquireAll(processes);
      if (step % 10 === 9) renewals.add(await until());
    }
    expect(renewals.size).toBeLessThanOrEqual(5);
    expect(renewals.size).toBeGreaterThan(1);
  });

  it('keeps a watermark that only its owner moves, and only forward', async () => {
    const { processes, passHalfDuration, end } = newLease(2);
    const [first, second] = processes;
    await first?.acquire();
    expect(first?.watermark).toEqual(new Date(0));
    await first?.advance(new Date(5_000));
    await first?.advance(new Date(4_000));
    await second?.acquire();
    await second?.advance(new Date(9_000));
    passHalfDuration();
    await first?.acquire();
    expect(first?.watermark).toEqual(new Date(5_000));
    await end();
    passHalfDuration();
    expect(await second?.acquire()).toBe(true);
    expect(second?.watermark).toEqual(new Date(5_000));
  });
});
