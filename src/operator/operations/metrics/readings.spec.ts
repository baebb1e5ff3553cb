import { describe, expect, it } from '@jest/globals';
import { Types } from 'mongoose';
import type { CompletedRequest } from '../../../core/http/server/request-log.js';
import { AttemptCounts } from '../../../webhooks/sending/attempt-counts.js';
import { Metrics } from './metrics.js';
import { Distribution } from './reading.js';
import { RequestReadings } from './request-readings.js';

describe('Distribution', () => {
  it('counts what is not above each bound', () => {
    const distribution = new Distribution([1, 2, 5]);
    for (const value of [0, 1, 1.5, 2, 3, 100]) distribution.observe(value);
    distribution.observe(4, 3);
    expect(distribution.cumulated()).toEqual([
      [1, 2],
      [2, 4],
      [5, 8],
      [Number.POSITIVE_INFINITY, 9],
    ]);
    expect(distribution.sum).toBe(119.5);
  });
});

describe('the labels are bounded', () => {
  const request: CompletedRequest = {
    method: 'GET',
    route: '/leads',
    status: 200,
    milliseconds: 3,
    organizationId: 'organization',
    apiKeyId: undefined,
  };

  it('of keys: those beyond a thousand are counted together', async () => {
    const readings = new RequestReadings();
    const fastify = { onCompletedRequest: null as ((one: CompletedRequest) => void) | null };
    readings.addTo(fastify as never);
    for (let turn = 0; turn < 2; turn++) {
      for (let key = 0; key < 1_200; key++) {
        fastify.onCompletedRequest?.({ ...request, apiKeyId: `key-${key}` });
      }
    }
    const calls = readings.readings().find(({ name }) => name === 'key_calls_total');
    const samples = (await calls?.read()) as { labels: { key: string }; value: number }[];
    expect(samples).toHaveLength(1_001);
    expect(samples.find(({ labels }) => labels.key === 'other')?.value).toBe(400);
    expect(samples.find(({ labels }) => labels.key === 'key-999')?.value).toBe(2);
  });

  it('of endpoints likewise', () => {
    const counts = new AttemptCounts();
    const ids = Array.from({ length: 1_010 }, () => new Types.ObjectId());
    for (const id of [...ids, ...ids]) counts.add(id, id === ids.at(-1));
    expect(counts.all()).toHaveLength(1_001);
    const other = counts.all().find(({ endpointId }) => endpointId === 'other');
    expect(other).toEqual({ endpointId: 'other', delivered: 2, failed: 18 });
  });
});

describe('Metrics', () => {
  it('leave out what the database does not give, and ask again only when it has answered', async () => {
    const metrics = new Metrics();
    let asked = 0;
    let answer: (samples: { value: number }[]) => void = () => undefined;
    metrics.add(
      { name: 'known', help: 'x', type: 'gauge', read: () => [{ value: 7 }] },
      {
        name: 'failing',
        help: 'x',
        type: 'gauge',
        read: () => Promise.reject(new Error('no')),
      },
      {
        name: 'late',
        help: 'x',
        type: 'gauge',
        read: () => {
          asked++;
          return new Promise((resolve) => (answer = resolve));
        },
      },
    );
    const first = await metrics.read();
    expect(first.text).toContain('\nintegration_api_known 7\n');
    expect(first.text).not.toMatch(/^integration_api_(failing|late)/m);
    await metrics.read();
    expect(asked).toBe(1);
    answer([{ value: 1 }]);
    await new Promise((resolve) => setImmediate(resolve));
    // Who asks at the same moment gets the same.
    const last = [metrics.read(), metrics.read()];
    await new Promise((resolve) => setImmediate(resolve));
    answer([{ value: 2 }]);
    for (const { text } of await Promise.all(last)) {
      expect(text).toContain('\nintegration_api_late 2\n');
    }
    expect(asked).toBe(2);
  });
});
