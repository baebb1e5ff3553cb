import { beforeEach, describe, expect, it } from '@jest/globals';
import { conventions } from '../support/builders.js';
import { isFull } from '../support/rounds.js';
import { sharedService } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';
import { type Batch, withoutIds } from './batch/batch-results.js';

const service = sharedService();
let tenant: TenantApi;

beforeEach(async () => {
  tenant = await service.addTenant();
});

describe('POST /leads with large values', () => {
  it('refuses a lead beyond 4 MiB in both languages, and accepts a smaller one later', async () => {
    const page = 'x'.repeat(1_000_000);
    const post = (additionalData: object) =>
      tenant.post('/leads', { recordSystemId: 'grows', additionalData });
    const grow = (index: number) => post({ [`page ${index}`]: page });
    await grow(0).expect(201);
    for (const index of [1, 2, 3]) await grow(index).expect(200);
    expect((await grow(4).expect(400)).body.message).toEqual([
      'The lead would become too large: data and additionalData together must not exceed 4 MiB when ' +
        'stored. Shorten values, or send null for keys that are no longer needed',
    ]);
    const arabic = await grow(4).set('language', 'ar-eg').expect(400);
    expect(arabic.body.message).toEqual([expect.stringContaining('4 ميبيبايت')]);
    const { additionalData } = await tenant.storedOne('leads');
    expect(Object.keys(additionalData)).toHaveLength(4);
    await post({ 'page 0': null, 'page 1': null }).expect(200);
    await grow(4).expect(200);
  });
});

describe('POST /leads/batch with large leads', () => {
  it('returns 413 for leads beyond 8 MiB', async () => {
    const large = ['one', 'two', 'three', 'four', 'five'].map((recordSystemId) => ({
      ...conventions(tenant.organizationId),
      recordSystemId,
      data: { text: 'x'.repeat(3_900_000) },
    }));
    await service.db.collection('leads').insertMany(large);
    // Together the leads exceed 16 MiB, so the service loads those of the first requests one by one.
    const updates = large.map(({ recordSystemId }) => ({ recordSystemId, name: 'x' }));
    const created = [{ recordSystemId: 'new' }, {}, { recordSystemId: 'new', name: 'Mona' }];
    const leads = [...created, ...updates, {}];
    const batch = async (others: object = {}) =>
      (await tenant.post('/leads/batch', { leads, ...others }).expect(200)).body as Batch;
    // In the short run, the property in batch.e2e-spec.ts covers dry runs.
    const dryRunResult = isFull ? await batch({ dryRun: true }) : null;
    const actual = await batch();
    const statuses = actual.results.map(({ statusCode }) => statusCode);
    expect(statuses).toEqual([201, 201, 200, 200, 200, 200, 413, 413, 413]);
    // A repeated transaction assigns new numbers, so the test compares only their order.
    const [one = 0, two, again] = actual.results.map(({ lead }) => lead?.leadId ?? 0);
    expect([two, again]).toEqual([one + 1, one]);
    const message = [expect.stringContaining('another batch')];
    const refusal = { error: 'Payload Too Large', errorCode: 'lead.batch_full', message };
    expect(actual.results[6]).toEqual({ index: 6, statusCode: 413, ...refusal });
    // The comparison is a boolean, because a failure would otherwise print megabytes.
    if (dryRunResult !== null) expect(withoutIds(dryRunResult) === withoutIds(actual)).toBe(true);
  });
});
