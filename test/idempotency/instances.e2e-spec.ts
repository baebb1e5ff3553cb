import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { addTenant, type Tenant } from '../support/builders.js';
import { sharedInstances } from '../support/instances.js';
import { kill, startProcess } from '../support/service-process.js';
import { type ExactResponse, post, settled } from './keyed-requests.js';

const instances = sharedInstances();
const { db } = instances;
let tenant: Tenant;

beforeEach(async () => {
  tenant = await addTenant(db);
});

const count = (collection: string, filter = {}) =>
  db.collection(collection).countDocuments({ organizationId: tenant.organizationId, ...filter });
const range = (length: number) => Array.from({ length }, (_, index) => index);

describe('one Idempotency-Key over two instances', () => {
  it('lets one of fifty requests at the same time run', async () => {
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

describe('an instance that is killed', () => {
  it('leaves of each request with a key its change and response, or neither', async () => {
    const variables = { ...instances.variables, DATABASE_DEADLINE_MS: '3000' };
    const [victim, other] = await Promise.all([startProcess(variables), startProcess(variables)]);
    const requests = range(120).map((index) => ({
      apiKey: tenant.key,
      key: randomUUID(),
      // Without an id a lead that is sent twice is there twice.
      body: { name: `Lead ${index}` },
    }));
    let answered = 0;
    const first: (ExactResponse | null)[] = await Promise.all(
      requests.map(async (request) => {
        try {
          const response = await post({ ...request, url: victim.url });
          if (++answered === 20) victim.process.kill('SIGKILL');
          return response;
        } catch {
          return null;
        }
      }),
    );
    await kill(victim);
    expect(first).toContain(null);
    const again = await Promise.all(
      requests.map((request) => settled({ ...request, url: other.url })),
    );
    for (const [index, response] of again.entries()) {
      expect(response.status).toBe(201);
      const before = first[index];
      if (before?.status === 201) expect(response).toEqual({ ...before, isReplayed: true });
    }
    expect([await count('leads'), await count('changeLogs')]).toEqual([120, 120]);
    expect(await count('outboxEvents', { type: 'lead.created' })).toBe(120);
    await kill(other);
  });
});
