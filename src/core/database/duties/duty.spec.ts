import { describe, expect, it } from '@jest/globals';
import type { DutiesRepository, DutyState } from './duties.repository.js';
import { Duty } from './duty.js';

const leaseMs = 5_000;

/** A duty in memory, and how often it was asked for. */
function newDuty() {
  let stored: DutyState = { owner: null, beats: 0 };
  let commands = 0;
  const repository: Pick<DutiesRepository, 'read' | 'take' | 'release'> = {
    read: async () => {
      commands += 1;
      return stored;
    },
    take: async (_name, { owner, beats }, by) => {
      commands += 1;
      if (stored.owner !== owner || stored.beats !== beats) return null;
      stored = { owner: by, beats: beats + 1 };
      return stored;
    },
    release: async (_name, owner) => {
      if (stored.owner === owner) stored = { owner: null, beats: stored.beats + 1 };
    },
  };
  /** A process whose clock is off by so much. */
  const processWith = (offset = 0) => {
    const clock = { now: () => new Date(time.now + offset) };
    return new Duty(repository, clock, 'work', leaseMs);
  };
  const time = { now: 1_000_000 };
  return { processWith, time, commands: () => commands };
}

describe('a duty', () => {
  it("is one process's for as long as that asks for it, wherever the clocks are", async () => {
    const { processWith, time } = newDuty();
    const processes = [processWith(), processWith(86_400_000), processWith(-86_400_000)];
    expect(await processes[0]?.isMine()).toBe(true);
    for (let step = 0; step < 40; step++) {
      time.now += 1_000;
      const owners = [];
      for (const one of processes) owners.push(await one.isMine());
      expect(owners).toEqual([true, false, false]);
    }
  });

  it('costs a command for each half of the lease, not for each question', async () => {
    const { processWith, time, commands } = newDuty();
    const [owner, other] = [processWith(), processWith()];
    await owner.isMine();
    await other.isMine();
    const before = commands();
    for (let step = 0; step < 1_000; step++) {
      time.now += 10;
      await owner.isMine();
      await other.isMine();
    }
    expect(commands() - before).toBeLessThanOrEqual(8);
  });

  it('is taken over by one process when its owner is silent for the time of a lease', async () => {
    const { processWith, time } = newDuty();
    const [dead, ...others] = [processWith(), processWith(), processWith(3_600_000)];
    await dead?.isMine();
    for (const other of others) await other.isMine();
    time.now += leaseMs - 1;
    expect(await Promise.all(others.map((other) => other.isMine()))).toEqual([false, false]);
    time.now += leaseMs / 2;
    const taken = await Promise.all(others.map((other) => other.isMine()));
    expect(taken.filter(Boolean)).toHaveLength(1);
    // One that was only stopped has lost it.
    expect(await dead?.isMine()).toBe(false);
  });

  it('is free at once when its owner lets it go', async () => {
    const { processWith, time } = newDuty();
    const [first, second] = [processWith(), processWith()];
    await first.isMine();
    await second.release();
    await first.release();
    expect(await second.isMine()).toBe(true);
    time.now += leaseMs;
    expect(await first.isMine()).toBe(false);
  });
});
