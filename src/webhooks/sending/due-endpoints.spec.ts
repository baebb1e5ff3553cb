import { describe, expect, it } from '@jest/globals';
import { Types } from 'mongoose';
import { DueEndpoints } from './due-endpoints.js';

const start = new Date('2030-01-31T12:00:00Z');
const after = (milliseconds: number) => new Date(start.getTime() + milliseconds);

/** With a queue that writes down what it is asked for. */
function dueEndpoints() {
  const asked: string[] = [];
  const queue = { hasMore: false };
  const due = new DueEndpoints({
    endpointsDue: () => {
      asked.push('all');
      return Promise.resolve([new Types.ObjectId()]);
    },
    endpointsDueSince: (since, now) => {
      asked.push(`${+since - +start} to ${+now - +start}`);
      return Promise.resolve({ endpointIds: [], hasMore: queue.hasMore });
    },
  });
  return { due, asked, queue };
}

describe('endpoints with something due', () => {
  it('are looked for by what became due since the last time, and a little before', async () => {
    const { due, asked } = dueEndpoints();
    for (const time of [0, 500, 1_000]) await due.find(after(time));
    expect(asked).toEqual(['all', '-10000 to 500', '-9500 to 1000']);
  });

  it('are all looked through once a minute, and after the clock was put back', async () => {
    const { due, asked } = dueEndpoints();
    for (const time of [0, 59_999, 60_000, 59_000]) await due.find(after(time));
    expect(asked).toEqual(['all', '-10000 to 59999', 'all', 'all']);
  });

  it('are all looked through when much is due at once, or some could not be taken', async () => {
    const { due, asked, queue } = dueEndpoints();
    queue.hasMore = true;
    for (const time of [0, 10_000]) await due.find(after(time));
    queue.hasMore = false;
    await due.find(after(20_000));
    due.lookAgain();
    await due.find(after(30_000));
    expect(asked).toEqual(['all', '-10000 to 10000', 'all', '0 to 20000', 'all']);
  });
});
