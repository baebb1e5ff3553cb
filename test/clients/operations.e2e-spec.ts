import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  copyLeads,
  copyReservations,
  eventsOf,
  type IntegrationApi,
  IntegrationApiError,
  itemsOf,
  pagesOf,
} from '../../clients/typescript/src/index.js';
import { apiClient } from '../support/api-client.js';
import {
  addCatalogue,
  addCompound,
  addTenant,
  mayReadEvents,
  type Tenant,
} from '../support/builders.js';
import { sharedService } from '../support/shared-service.js';
import { numberEvents } from './support/numbered-events.js';

const service = sharedService();
let organizationId: Tenant['organizationId'];
let api: IntegrationApi;
let arabic: IntegrationApi;
/** Records the called operations, because the last test requires every documented one. */
const called = new Set<string>();

beforeAll(async () => {
  const tenant = await addTenant(service.db, { key: mayReadEvents });
  const { key } = tenant;
  ({ organizationId } = tenant);
  const name = { 'en-us': 'Palm Meadows', 'ar-eg': 'بالم ميدوز' };
  const compoundId = await addCompound(service.db, organizationId, name, { slug: 'palm-meadows' });
  await addCatalogue(service.db, 'units', organizationId, {
    compoundId,
    slug: 'old',
    name: { 'en-us': 'Old' },
  });
  api = new Proxy(apiClient(service.url, key), {
    get: (operations, operation: keyof IntegrationApi) => {
      called.add(operation);
      return operations[operation];
    },
  });
  arabic = apiClient(service.url, key, { language: 'ar-eg' });
});

const errorOf = async (call: Promise<unknown>): Promise<IntegrationApiError> => {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  if (error instanceof IntegrationApiError) return error;
  throw new Error('The call did not throw an IntegrationApiError', { cause: error });
};

describe('the TypeScript client', () => {
  it('checks the key', async () => {
    const { data } = await arabic.readKey();
    expect(await arabic.check()).toEqual(data.data);
    expect(data.data).toMatchObject({ organization: { name: 'Nile Homes' }, language: 'ar-eg' });
    const unknown = await errorOf(apiClient(service.url, 'unknown').check());
    expect(unknown.code).toBe('key.invalid');
    await api.readKey();
  });

  it('creates, updates, reads and deletes leads', async () => {
    const recordSystemId = 'نموذج/1 ?#%';
    const created = await api.upsertLead({
      body: { recordSystemId, name: 'Mona', data: { rooms: [2, 3] }, project: 'Palm Meadows' },
    });
    expect(created.status).toBe(201);
    expect(created.data.operation).toBe('create');
    const updated = await api.upsertLead({ body: { recordSystemId, email: 'mona@example.com' } });
    expect(updated.status).toBe(200);
    const { data } = await api.readLead({ path: { recordSystemId } });
    const listed = await api.listLeads({ query: { recordSystemId } });
    expect(listed.data.data).toEqual([data.lead]);
    expect(data.lead).toEqual(updated.data.lead);
    expect(data.lead.data).toEqual({
      name: 'Mona',
      email: 'mona@example.com',
      rooms: [2, 3],
      project: 'Palm Meadows',
    });
    const deleted = await api.deleteLead({ path: { recordSystemId } });
    expect(deleted.data.lead._id).toBe(created.data.lead._id);
  });

  it('copies leads and reservations, and finds cheques', async () => {
    const recordSystemId = 'copied';
    await api.upsertLead({ body: { recordSystemId, name: 'Mona' } });
    const reservation = await api.upsertReservation({
      body: {
        recordSystemId,
        unit: 'old',
        lead: { recordSystemId },
        cheques: [{ installmentId: '1' }],
      },
    });
    let mark = '';
    for await (const changes of copyLeads(api)) {
      expect(changes.current).toMatchObject([{ recordSystemId, data: { name: 'Mona' } }]);
      mark = changes.mark ?? mark;
    }
    const { data } = await api.deleteLead({ path: { recordSystemId } });
    for await (const { current, removedIds } of copyLeads(api, mark)) {
      expect(current).toEqual([]);
      expect(removedIds).toContain(data.lead._id);
    }
    for await (const { current } of copyReservations(api)) {
      expect(current).toEqual([reservation.data.reservation]);
    }
    const cheques = await api.listCheques({ query: { reservation: recordSystemId } });
    const { _id: reservationId } = reservation.data.reservation;
    expect(cheques.data.data).toMatchObject([{ reservationId, installmentId: '1' }]);
  });

  it('sends a batch of leads', async () => {
    const phone = '01001112223';
    const { data } = await api.upsertLeads({
      body: { leads: [{ phoneNumber: phone }, { phoneNumber: phone }] },
    });
    expect(data.results.map(({ statusCode, errorCode }) => [statusCode, errorCode])).toEqual([
      [201, undefined],
      [400, 'lead.duplicate_phone'],
    ]);
  });

  it('repeats a POST with the given key, and sends a new request without one', async () => {
    const repeated = { body: { name: 'Mona' }, headers: { 'idempotency-key': '"once"' } };
    const first = await api.upsertLead(repeated);
    expect((await api.upsertLead(repeated)).data.lead._id).toBe(first.data.lead._id);
    const other = await api.upsertLead({ body: { name: 'Mona' } });
    expect(other.data.lead._id).not.toBe(first.data.lead._id);
  });

  it('stores, reads, lists and exports units', async () => {
    const written = await api.upsertUnit({
      body: { recordSystemId: 'u-1', unitId: 'A-1', compound: 'palm-meadows', name: 'A, "B"' },
    });
    const { slug } = written.data.unit;
    const read = await api.readUnit({ path: { slug } });
    expect(read.data.data).toEqual(written.data.unit);
    const tag = read.headers.get('etag') ?? '';
    const current = await api.readUnit({ path: { slug }, headers: { 'if-none-match': tag } });
    expect(current).toMatchObject({ status: 304, data: undefined });

    const query = { sort: '-price', minPrice: 0, unitId: 'A-1' };
    const found = await api.listUnits({ query });
    expect(found.data.data).toEqual([written.data.unit]);
    const exported = await api.exportUnits({ query: { unitId: 'A-1' } });
    expect(exported.data.data).toEqual([written.data.unit]);
    const csv = await api.exportUnits({ query: { unitId: 'A-1', format: 'csv' } });
    expect(csv.data).toContain('"A, ""B"""');
    const lines = await api.exportUnits({ query: { format: 'ndjson', unitId: 'A-1' } });
    expect(JSON.parse(lines.data)).toEqual(written.data.unit);
  });

  it('lists compounds and their units in the language of the client or call', async () => {
    const { data } = await api.listCompounds({ query: { all: 1 } });
    expect(data.data.map(({ name }) => name)).toEqual(['Palm Meadows']);
    expect((await arabic.listCompounds()).data.data[0]?.name).toBe('بالم ميدوز');
    const english = { headers: { language: 'en-us' } };
    expect((await arabic.listCompounds(english)).data.data[0]?.name).toBe('Palm Meadows');
    const units = await api.listCompoundUnits({ path: { slug: 'palm-meadows' } });
    expect(units.data.data.map(({ slug }) => slug)).toContain('old');
  });

  it('follows the cursor of lists', async () => {
    for (const unitId of ['P-1', 'P-2', 'P-3']) {
      await api.upsertUnit({ body: { unitId, compound: 'palm-meadows', name: unitId } });
    }
    const ids: string[] = [];
    for await (const unit of itemsOf(api.listUnits, { limit: 1, unitId: 'P-1,P-2,P-3' })) {
      ids.push(unit.unitId);
    }
    expect(ids.toSorted()).toEqual(['P-1', 'P-2', 'P-3']);
    const sizes: number[] = [];
    const query = { limit: 2, unitId: 'P-1,P-2,P-3' };
    for await (const page of pagesOf(api.listUnits, query)) sizes.push(page.data.data.length);
    expect(sizes).toEqual([2, 1]);
  });

  it('creates a reservation, reports its cheque and reconciles a ledger', async () => {
    await api.upsertUnit({
      body: { recordSystemId: 'sold', unitId: 'S-1', compound: 'palm-meadows', name: 'S' },
    });
    const { data } = await api.upsertReservation({
      body: {
        recordSystemId: 'deal',
        unit: { recordSystemId: 'sold' },
        status: 'pending_cheque_collection',
        partnerCollection: true,
        cheques: [{ installmentId: '1', chequeAmount: 250_000 }],
      },
    });
    const { _id: reservationId } = data.reservation;
    const reported = await api.reportReservationChange({
      body: { reservationId, installmentId: '1', chequeStatus: 'collected' },
    });
    expect(reported.status).toBe(201);
    expect(reported.data).toBeUndefined();
    expect(reported.headers.get('x-callback-cheque')).toBe('applied');
    const read = await api.readReservation({ path: { reservationId } });
    expect(read.data.data.status).toBe('approved');
    expect(read.data.data.chequeWallet?.cheques[0]?.status).toBe('collected');
    const compared = await api.reconcileCheques({
      body: { cheques: [{ reservationId, installmentId: '1', chequeStatus: 'bounced' }] },
    });
    expect(compared.data.differences).toMatchObject([{ ours: 'collected', theirs: 'bounced' }]);
  });

  it('reads events and waits for new ones', async () => {
    await numberEvents(service.db, organizationId);
    const { data } = await api.readEvents({ query: { limit: 1000 } });
    expect(data.data.map(({ sequence }) => sequence)).toEqual(
      data.data.map((_, index) => index + 1),
    );
    const { signal } = new AbortController();
    const events = eventsOf(api.readEvents, { after: data.next, types: 'lead.*', signal });
    const next = events.next();
    const created = await api.upsertLead({ body: { recordSystemId: 'awaited', name: 'Mona' } });
    await numberEvents(service.db, organizationId);
    const { value: event } = await next;
    if (event?.type !== 'lead.created') throw new Error(`Unexpected event: ${event?.type}`);
    expect(event.data).toEqual(created.data.lead);
    expect(event.sequence).toBeGreaterThan(data.next);
    const repeated = await api.readEvents({ query: { after: event.sequence - 1 } });
    expect(repeated.data.data[0]).toEqual(event);
  });

  it('throws errors with code, messages and request', async () => {
    const failed = await errorOf(
      api.upsertLead({ body: { name: '', email: 'x' }, headers: { 'x-request-id': 'form-7' } }),
    );
    expect(failed).toMatchObject({ status: 400, code: 'validation.failed', requestId: 'form-7' });
    expect(failed.messages).toHaveLength(2);
    const unknown = { path: { recordSystemId: 'unknown' } };
    const missing = await errorOf(arabic.readLead(unknown));
    expect(missing).toMatchObject({
      status: 404,
      code: 'lead.not_found',
      messages: ['العميل المحتمل غير موجود'],
    });
    const wrongKey = apiClient(service.url, 'wrong');
    expect(await errorOf(wrongKey.listUnits())).toMatchObject({ status: 401, code: 'key.invalid' });
  });

  it.each(['', '.', '..'])('sends no request for the id "%s"', async (recordSystemId) => {
    const call = api.deleteLead({ path: { recordSystemId } });
    await expect(call).rejects.toThrow('recordSystemId cannot be part of a URL');
  });

  it('returns the health of the service', async () => {
    expect((await api.checkHealth()).data.ok).toBe(true);
  });

  it('calls every documented operation', () => {
    const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const documented = Object.values(paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    );
    expect([...called].toSorted()).toEqual(documented.toSorted());
  });
});
