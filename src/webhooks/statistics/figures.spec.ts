import { describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { AttemptFigureCounts, mostCounted, quarterOf } from './attempt-figures.js';
import { firstHour, hourlyFigures } from './hourly-figures.js';

const now = new Date('2026-01-05T09:37:00Z');
const endpoint = () => ({ _id: new ObjectId(), organizationId: new ObjectId() });
const attempt = (isDelivered: boolean, milliseconds: number) => ({ isDelivered, milliseconds });

describe('the figures of attempts', () => {
  it('add up by endpoint and quarter, until they are taken', () => {
    const counts = new AttemptFigureCounts();
    const [one, two] = [endpoint(), endpoint()];
    counts.add(one, attempt(true, 10), now);
    counts.add(one, attempt(false, 30), new Date('2026-01-05T09:30:00Z'));
    counts.add(one, attempt(true, 5), new Date('2026-01-05T09:45:00Z'));
    counts.add(two, attempt(true, 7), now);
    expect(counts.size).toBe(3);
    const taken = counts.take();
    expect(taken.map(({ key, figures }) => [key.at.toISOString(), figures])).toEqual([
      ['2026-01-05T09:30:00.000Z', { delivered: 1, failed: 1, milliseconds: 40 }],
      ['2026-01-05T09:45:00.000Z', { delivered: 1, failed: 0, milliseconds: 5 }],
      ['2026-01-05T09:30:00.000Z', { delivered: 1, failed: 0, milliseconds: 7 }],
    ]);
    expect(taken[0]?.key).toMatchObject({
      organizationId: one.organizationId,
      endpointId: one._id,
    });
    expect(counts.take()).toEqual([]);
  });

  it('are of a bounded number of endpoints, and go on for these', () => {
    const counts = new AttemptFigureCounts();
    const first = endpoint();
    counts.add(first, attempt(true, 1), now);
    for (let index = 0; index < mostCounted + 10; index++) {
      counts.add(endpoint(), attempt(true, 1), now);
    }
    counts.add(first, attempt(true, 1), now);
    expect(counts.size).toBe(mostCounted);
    expect(counts.refused).toBe(11);
    expect(counts.take()[0]?.figures.delivered).toBe(2);
  });

  it('are of the hours up to now', () => {
    const figure = (time: string, fields: object) => ({
      at: quarterOf(new Date(`2026-01-05T${time}:00Z`)),
      delivered: 0,
      failed: 0,
      milliseconds: 0,
      ...fields,
    });
    const figures = [
      figure('09:30', { delivered: 3, milliseconds: 90, backlog: 2 }),
      figure('09:00', { failed: 1, milliseconds: 10, backlog: 5 }),
      figure('07:15', { delivered: 1, milliseconds: 4 }),
      figure('06:45', { delivered: 100 }),
    ];
    expect(firstHour(now, 3)).toEqual(new Date('2026-01-05T07:00:00Z'));
    expect(hourlyFigures(figures, now, 3)).toEqual([
      { delivered: 1, failed: 0, averageMs: 4, backlog: 0 },
      { delivered: 0, failed: 0, averageMs: null, backlog: 0 },
      { delivered: 3, failed: 1, averageMs: 25, backlog: 5 },
    ]);
  });
});
