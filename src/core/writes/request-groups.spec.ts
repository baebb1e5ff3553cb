import { describe, expect, it } from '@jest/globals';
import { Gauge, Histogram, Registry } from 'prom-client';
import { RequestGroups } from './request-groups.js';

/** Groups whose runs are finished by the test. */
function groupsWith(limits: { count: number; bytes: number }) {
  const runs: { requests: readonly string[]; finish: () => void }[] = [];
  const registers = [new Registry()];
  const metrics = {
    sizes: new Histogram({ name: 'sizes', help: 'x', buckets: [1, 2], registers }),
    waiting: new Gauge({ name: 'waiting', help: 'x', registers }),
  };
  const groups = new RequestGroups<string, string>(
    (requests, settle) =>
      new Promise((resolve) => {
        const outcomeOf = (request: string): PromiseSettledResult<string> =>
          request.startsWith('bad')
            ? { status: 'rejected', reason: new Error(request) }
            : { status: 'fulfilled', value: `done ${request}` };
        const finish = () => {
          for (const [index, request] of requests.entries()) settle(index, outcomeOf(request));
          resolve();
        };
        runs.push({ requests, finish });
      }),
    limits,
    metrics,
  );
  const counted = async () => {
    const [waiting] = (await metrics.waiting.get()).values;
    const sizes = (await metrics.sizes.get()).values;
    return { waiting: waiting?.value, sizes: sizes.slice(0, 2).map(({ value }) => value) };
  };
  return { groups, runs, counted };
}

const unlimited = { count: 100, bytes: 1_000 };
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('RequestGroups', () => {
  it('runs a lone request immediately and groups later ones', async () => {
    const { groups, runs } = groupsWith(unlimited);
    const first = groups.submit('a', 'one', 1);
    const others = Promise.all(['two', 'three'].map((name) => groups.submit('a', name, 1)));
    expect(runs.map(({ requests }) => requests)).toEqual([['one']]);
    runs[0]?.finish();
    expect(await first).toBe('done one');
    expect(runs[1]?.requests).toEqual(['two', 'three']);
    runs[1]?.finish();
    expect(await others).toEqual(['done two', 'done three']);
  });

  it('runs requests with different keys in parallel', () => {
    const { groups, runs } = groupsWith(unlimited);
    void groups.submit('a', 'one', 1);
    void groups.submit('b', 'two', 1);
    expect(runs.map(({ requests }) => requests)).toEqual([['one'], ['two']]);
  });

  it('returns its own result to each request', async () => {
    const { groups, runs } = groupsWith(unlimited);
    void groups.submit('a', 'first', 1);
    const bad = groups.submit('a', 'bad', 1);
    const good = groups.submit('a', 'good', 1);
    runs[0]?.finish();
    await settled();
    runs[1]?.finish();
    await expect(bad).rejects.toThrow('bad');
    await expect(good).resolves.toBe('done good');
  });

  it('limits a group by count and bytes, and runs a larger request alone', async () => {
    const { groups, runs } = groupsWith({ count: 3, bytes: 10 });
    const sizes = [1, 2, 2, 2, 2, 50, 6, 4, 1];
    for (const [index, size] of sizes.entries()) void groups.submit('a', `${index}:${size}`, size);
    for (let run = 0; run < runs.length; run++) {
      runs[run]?.finish();
      await settled();
    }
    expect(runs.map(({ requests }) => requests)).toEqual([
      ['0:1'],
      ['1:2', '2:2', '3:2'],
      ['4:2'],
      ['5:50'],
      ['6:6', '7:4'],
      ['8:1'],
    ]);
  });

  it('counts groups by size, and waiting requests', async () => {
    const { groups, runs, counted } = groupsWith(unlimited);
    const responses = ['one', 'two', 'three'].map((name) => groups.submit('a', name, 1));
    expect(await counted()).toEqual({ waiting: 2, sizes: [1, 1] });
    runs[0]?.finish();
    await settled();
    runs[1]?.finish();
    await Promise.all(responses);
    await settled();
    expect(await counted()).toEqual({ waiting: 0, sizes: [1, 2] });
  });

  it('accepts requests again after all requests are done', async () => {
    const { groups, runs } = groupsWith(unlimited);
    const first = groups.submit('a', 'one', 1);
    runs[0]?.finish();
    await first;
    await settled();
    void groups.submit('a', 'two', 1);
    expect(runs[1]?.requests).toEqual(['two']);
  });
});
