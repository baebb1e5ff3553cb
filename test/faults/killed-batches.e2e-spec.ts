import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { type ExactResponse, post, settled } from '../idempotency/keyed-requests.js';
import { addTenant } from '../support/builders.js';
import { sharedInstances } from '../support/instances.js';
import { kill, startProcess } from '../support/service-process.js';

const instances = sharedInstances();
const { db } = instances;
const [batches, leadsInBatch, killedAfter] = [40, 25, 8];

it('a killed process stores each batch completely with its response, or not at all', async () => {
  const { key: apiKey, organizationId } = await addTenant(db);
  const count = (collection: string, filter = {}) =>
    db.collection(collection).countDocuments({ organizationId, ...filter });
  const variables = { ...instances.variables, DATABASE_DEADLINE_MS: '3000' };
  const [victim, other] = await Promise.all([startProcess(variables), startProcess(variables)]);
  // Without ids a lead that is sent twice is there twice.
  const requests = Array.from({ length: batches }, (_, batch) => ({
    path: '/leads/batch',
    apiKey,
    key: randomUUID(),
    body: {
      leads: Array.from({ length: leadsInBatch }, (_lead, index) => ({
        name: `Lead ${batch} ${index}`,
      })),
    },
  }));
  let answered = 0;
  const first: (ExactResponse | null)[] = await Promise.all(
    requests.map(async (request) => {
      try {
        const response = await post({ ...request, url: victim.url });
        if (response.status === 200 && ++answered === killedAfter) victim.process.kill('SIGKILL');
        return response;
      } catch {
        return null;
      }
    }),
  );
  await kill(victim);
  expect(first).toContain(null);
  const acknowledged = first.filter((response) => response?.status === 200).length;
  expect(acknowledged).toBeGreaterThanOrEqual(killedAfter);
  // A batch is there as a whole, or not at all.
  const stored = await count('leads');
  expect(stored % leadsInBatch).toBe(0);
  expect(stored).toBeGreaterThanOrEqual(acknowledged * leadsInBatch);
  const again = await Promise.all(
    requests.map((request) => settled({ ...request, url: other.url })),
  );
  for (const [index, response] of again.entries()) {
    expect(response.status).toBe(200);
    const before = first[index];
    if (before?.status === 200) expect(response).toEqual({ ...before, isReplayed: true });
  }
  const all = batches * leadsInBatch;
  expect([await count('leads'), await count('changeLogs')]).toEqual([all, all]);
  expect(await count('outboxEvents', { type: 'lead.created' })).toBe(all);
  const names = await db.collection('leads').distinct('data.name', { organizationId });
  expect(names).toHaveLength(all);
  await kill(other);
});
