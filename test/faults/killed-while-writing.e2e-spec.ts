import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { post, settled } from '../idempotency/keyed-requests.js';
import { addReserved, addTenant, addUnit } from '../support/builders.js';
import { countDocuments, range } from '../support/counting.js';
import { sharedInstances } from '../support/instances.js';
import { kill, send, startProcess } from '../support/service-process.js';

const instances = sharedInstances();
const { db } = instances;

const leadsInBatch = 25;

describe('a process killed during writes', () => {
  it('has stored each callback completely or not at all', async () => {
    const tenant = await addTenant(db);
    const { key, organizationId } = tenant;
    const killedProcess = await startProcess(instances.variables);
    const pairs = await Promise.all(
      range(40).map(async () => {
        const unitId = await addUnit(db, organizationId, { status: 'Reserved' });
        return { unitId, reservationId: await addReserved(db, organizationId, unitId) };
      }),
    );
    const callback = (url: string, body: object) =>
      send(url, { method: 'POST', path: '/reservations/webhook', key, body });
    let acknowledged = 0;
    await Promise.allSettled(
      pairs.map(async ({ reservationId }) => {
        const body = { reservationId, installmentId: '1', chequeStatus: 'bounced' };
        const { status } = await callback(killedProcess.url, body);
        if (status === 201) acknowledged += 1;
        if (acknowledged === 8) killedProcess.process.kill('SIGKILL');
      }),
    );
    await killedProcess.exited;
    // A commit that the process has sent may still be done: all is read as of one moment.
    const ends = await db.client.withSession({ snapshot: true }, async (session) => {
      const all = (collection: string) =>
        db.collection(collection).find({ organizationId }, { session }).toArray();
      const reservations = await all('reservations');
      const wallets = await all('chequeWallets');
      const units = await all('units');
      const entries = await all('reservationCallbacks');
      return pairs.map(({ unitId, reservationId }) => {
        const wallet = wallets.find((one) => reservationId.equals(one['reservationId']));
        const [cheque] = wallet?.['cheques'] ?? [];
        return [
          reservations.find(({ _id }) => _id.equals(reservationId))?.['status'],
          wallet?.['isDeleted'],
          cheque.status,
          cheque.statusHistory.length,
          units.find(({ _id }) => _id.equals(unitId))?.['status'],
          entries.filter((one) => one['reservationId'] === reservationId.toHexString()).length,
        ];
      });
    });
    const untouched = ['pending_cheque_collection', false, 'pending', 0, 'Reserved', 0];
    const whole = ['canceled', true, 'bounced', 1, 'Available', 1];
    for (const end of ends) expect([untouched, whole]).toContainEqual(end);
    const wholes = ends.filter(([status]) => status === 'canceled').length;
    expect(acknowledged).toBeGreaterThanOrEqual(8);
    expect(wholes).toBeGreaterThanOrEqual(acknowledged);
    // Units and reservations that the killed process held can be used at once.
    const again = await Promise.all(
      pairs.map(({ reservationId }, turn) =>
        callback(instances.url(turn), { reservationId, reservationStatus: 'canceled' }),
      ),
    );
    expect(new Set(again.map(({ status }) => status))).toEqual(new Set([201]));
  });

  it('has stored each idempotent batch completely with its response, or neither', async () => {
    const [count, killedAfter] = [40, 8];
    const tenant = await addTenant(db);
    const variables = { ...instances.variables, DATABASE_DEADLINE_MS: '3000' };
    const [victim, other] = await Promise.all([startProcess(variables), startProcess(variables)]);
    const requests = range(count).map(() => {
      // Without ids a lead that is sent twice is there twice.
      const leads = range(leadsInBatch).map(() => ({ name: `Lead ${randomUUID()}` }));
      return { path: '/leads/batch', apiKey: tenant.key, key: randomUUID(), body: { leads } };
    });
    let acknowledged = 0;
    const first = await Promise.all(
      requests.map(async (request) => {
        const response = await post({ ...request, url: victim.url }).catch(() => null);
        if (response?.status === 200 && ++acknowledged === killedAfter) {
          victim.process.kill('SIGKILL');
        }
        return response;
      }),
    );
    await kill(victim);
    expect(first).toContain(null);
    expect(acknowledged).toBeGreaterThanOrEqual(killedAfter);
    const stored = await countDocuments(db, 'leads', tenant);
    expect(stored % leadsInBatch).toBe(0);
    expect(stored).toBeGreaterThanOrEqual(acknowledged * leadsInBatch);
    for (const [index, request] of requests.entries()) {
      const response = await settled({ ...request, url: other.url });
      expect(response.status).toBe(200);
      const before = first[index];
      if (before?.status === 200) expect(response).toEqual({ ...before, isReplayed: true });
    }
    const all = count * leadsInBatch;
    for (const collection of ['leads', 'changeLogs']) {
      expect(await countDocuments(db, collection, tenant)).toBe(all);
    }
    expect(await countDocuments(db, 'outboxEvents', tenant, { type: 'lead.created' })).toBe(all);
    const { organizationId } = tenant;
    const names = await db.collection('leads').distinct('data.name', { organizationId });
    expect(names).toHaveLength(all);
    await kill(other);
  });
});
