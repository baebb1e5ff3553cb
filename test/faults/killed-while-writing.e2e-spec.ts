import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { ObjectId } from 'mongodb';
import { type ExactResponse, post as postKeyed, settled } from '../idempotency/keyed-requests.js';
import { addReservation, addTenant, addUnit, addWallet, type Tenant } from '../support/builders.js';
import { countDocuments, countStatuses, range } from '../support/counting.js';
import { sharedInstances } from '../support/instances.js';
import { kill, send, startProcess } from '../support/service-process.js';

const instances = sharedInstances();
const { db } = instances;

const post = (tenant: Tenant, path: string, body: object, turn: number) =>
  send(instances.url(turn), { method: 'POST', path, key: tenant.key, body });
const postLead = (tenant: Tenant, body: object, turn: number) => post(tenant, '/leads', body, turn);
const callback = (tenant: Tenant, body: object, turn: number) =>
  post(tenant, '/reservations/webhook', body, turn);

async function addReserved(tenant: Tenant, unitId: ObjectId): Promise<ObjectId> {
  const { organizationId } = tenant;
  const reservationId = await addReservation(db, organizationId, unitId);
  const cheques = [{ installmentId: '1', status: 'pending' }];
  await addWallet(db, organizationId, { reservationId, unitId, cheques });
  return reservationId;
}

describe('a process killed during writes', () => {
  it('has stored only complete leads, including all acknowledged ones', async () => {
    const tenant = await addTenant(db);
    const killedProcess = await startProcess(instances.variables);
    const acknowledged: string[] = [];
    const requests = range(60).map(async (i) => {
      const recordSystemId = `k${i}`;
      const phoneNumber = `0100000${String(1_000 + i)}`;
      const body = { recordSystemId, phoneNumber, name: `K ${i}` };
      const response = await send(killedProcess.url, {
        method: 'POST',
        path: '/leads',
        key: tenant.key,
        body,
      });
      if (response.status === 201) acknowledged.push(recordSystemId);
      if (acknowledged.length === 15) killedProcess.process.kill('SIGKILL');
    });
    await Promise.allSettled(requests);
    await killedProcess.exited;
    expect(acknowledged.length).toBeGreaterThanOrEqual(15);
    // A commit that the process has sent may still be done: all is read as of one moment.
    await db.client.withSession({ snapshot: true }, async (session) => {
      const { organizationId } = tenant;
      const all = (collection: string) =>
        db.collection(collection).find({ organizationId }, { session }).toArray();
      const leads = await all('leads');
      expect(leads.map((lead) => lead['recordSystemId'])).toEqual(
        expect.arrayContaining(acknowledged),
      );
      for (const collection of ['clients', 'changeLogs']) {
        expect(await all(collection)).toHaveLength(leads.length);
      }
      expect(await all('outboxEvents')).toHaveLength(2 * leads.length);
    });
    const rest = await Promise.all(
      range(60).map((i) => postLead(tenant, { recordSystemId: `k${i}`, data: { again: true } }, i)),
    );
    // Only the killed process was sent names.
    const stored = await countDocuments(db, 'leads', tenant, { 'data.name': { $exists: true } });
    expect(stored).toBeGreaterThanOrEqual(acknowledged.length);
    expect(countStatuses(rest)).toEqual({
      200: stored,
      ...(stored < 60 ? { 201: 60 - stored } : {}),
    });
    expect(await countDocuments(db, 'leads', tenant)).toBe(60);
  });

  it('has stored each callback completely or not at all', async () => {
    const tenant = await addTenant(db);
    const killedProcess = await startProcess(instances.variables);
    const pairs = await Promise.all(
      range(40).map(async () => {
        const unitId = await addUnit(db, tenant.organizationId, { status: 'Reserved' });
        return { unitId, reservationId: await addReserved(tenant, unitId) };
      }),
    );
    let acknowledged = 0;
    await Promise.allSettled(
      pairs.map(async ({ reservationId }) => {
        const body = { reservationId, installmentId: '1', chequeStatus: 'bounced' };
        const path = '/reservations/webhook';
        const { status } = await send(killedProcess.url, {
          method: 'POST',
          path,
          key: tenant.key,
          body,
        });
        if (status === 201) acknowledged += 1;
        if (acknowledged === 8) killedProcess.process.kill('SIGKILL');
      }),
    );
    await killedProcess.exited;
    // A commit that the process has sent may still be done: all is read as of one moment.
    const ends = await db.client.withSession({ snapshot: true }, async (session) => {
      const all = (collection: string) =>
        db
          .collection(collection)
          .find({ organizationId: tenant.organizationId }, { session })
          .toArray();
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
        callback(tenant, { reservationId, reservationStatus: 'canceled' }, turn),
      ),
    );
    expect(new Set(again.map(({ status }) => status))).toEqual(new Set([201]));
  });

  it('has stored change and response of each idempotent request, or neither', async () => {
    const tenant = await addTenant(db);
    const stored = (collection: string, filter = {}) =>
      countDocuments(db, collection, tenant, filter);
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
          const response = await postKeyed({ ...request, url: victim.url });
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
    expect([await stored('leads'), await stored('changeLogs')]).toEqual([120, 120]);
    expect(await stored('outboxEvents', { type: 'lead.created' })).toBe(120);
    await kill(other);
  });
});
