import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { addTenant, type Tenant } from '../support/builders.js';
import { sharedInstances } from '../support/instances.js';
import { post, settled } from './keyed-requests.js';

const instances = sharedInstances();
const { db } = instances;
let tenant: Tenant;

beforeEach(async () => {
  tenant = await addTenant(db);
});

const count = (collection: string, filter = {}) =>
  db.collection(collection).countDocuments({ organizationId: tenant.organizationId, ...filter });
const range = (length: number) => Array.from({ length }, (_, index) => index);

describe('an Idempotency-Key on two instances', () => {
  it('lets exactly one of fifty simultaneous requests run', async () => {
    const request = { apiKey: tenant.key, key: randomUUID(), body: { name: 'Mona' } };
    const first = await Promise.all(
      range(50).map((turn) => post({ ...request, url: instances.url(turn) })),
    );
    expect(new Set(first.map(({ status }) => status))).toEqual(
      new Set(first.some(({ status }) => status === 409) ? [201, 409] : [201]),
    );
    expect(first.filter(({ status, isReplayed }) => status === 201 && !isReplayed)).toHaveLength(1);
    const last = await Promise.all(
      range(4).map((turn) => settled({ ...request, url: instances.url(turn) })),
    );
    const texts = [...first.filter(({ status }) => status === 201), ...last].map(
      ({ text }) => text,
    );
    expect(new Set(texts).size).toBe(1);
    expect([await count('leads'), await count('changeLogs')]).toEqual([1, 1]);
  });
});
