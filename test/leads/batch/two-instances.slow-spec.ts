import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { settled } from '../../idempotency/keyed-requests.js';
import { addTenant, type Tenant } from '../../support/builders.js';
import { sharedInstances } from '../../support/instances.js';
import type { Batch } from './batch-results.js';

const instances = sharedInstances();
let tenant: Tenant;

beforeEach(async () => {
  tenant = await addTenant(instances.db);
});

const count = (collection: string) =>
  instances.db.collection(collection).countDocuments({ organizationId: tenant.organizationId });

describe('POST /leads/batch over two instances', () => {
  it('creates each lead once when batches with the same leads arrive concurrently', async () => {
    const ids = Array.from({ length: 40 }, (_, index) => `lead ${index}`);
    const leads = ids.map((recordSystemId, index) => ({
      recordSystemId,
      phoneNumber: `0100000${String(1000 + index)}`,
    }));
    const answers = await Promise.all(
      [0, 1, 2, 3].map((turn) =>
        settled({
          url: instances.url(turn),
          path: '/leads/batch',
          apiKey: tenant.key,
          key: null,
          body: { leads: turn < 2 ? leads : leads.toReversed() },
        }),
      ),
    );
    const bodies = answers.map(({ text }) => JSON.parse(text) as Batch);
    expect(bodies.map(({ ok }) => ok)).toEqual([true, true, true, true]);
    // One transaction each: the first one creates all.
    expect(bodies.map(({ created }) => created).toSorted((a, b) => a - b)).toEqual([0, 0, 0, 40]);
    expect([await count('leads'), await count('clients')]).toEqual([40, 40]);
  });

  it('runs a batch once when requests with one Idempotency-Key arrive concurrently', async () => {
    const leads = [{ name: 'Mona' }, { email: 'nobody' }, { name: 'Adel' }];
    const request = { path: '/leads/batch', apiKey: tenant.key, key: randomUUID() };
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, turn) =>
        settled({ ...request, url: instances.url(turn), body: { leads } }),
      ),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
    expect(await count('leads')).toBe(2);
  });
});
