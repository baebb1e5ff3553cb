import { describe, expect, it } from '@jest/globals';
import { readReplay } from './replay.js';

const since = '2026-01-05T09:30';
const until = '2026-01-05T10:30:15.250Z';

describe('a replay form', () => {
  it('accepts a status, a time range, or both', () => {
    expect(readReplay({ status: 'failed' })).toEqual({
      filter: { status: 'failed', since: undefined, until: undefined },
      text: 'failed',
    });
    expect(readReplay({ status: 'failed', since, until })).toEqual({
      filter: { status: 'failed', since: new Date(`${since}:00Z`), until: new Date(until) },
      text: `failed since 2026-01-05T09:30:00.000Z until ${until}`,
    });
    const spaced = readReplay({ since: '2026-01-05 12:30+02', until: '2026-01-05 11:30' });
    expect(spaced?.text).toBe('since 2026-01-05T10:30:00.000Z until 2026-01-05T11:30:00.000Z');
    expect(readReplay({ since, until: '' })?.filter.status).toBeUndefined();
  });

  it.each([
    {},
    { status: 'delivered' },
    { since: 'yesterday', status: 'failed' },
    { since: '2026-13-05T09:30' },
    { since: '2026-02-30T09:30' },
    { since, until: since },
    { since: until, until: since },
    { until: '1' },
  ])('is rejected with the fields %j', (form) => expect(readReplay(form)).toBeNull());
});
