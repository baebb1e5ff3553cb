import { randomInt, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { keyPurposes, operations } from '../../src/tenants/keys/operations.js';
import {
  addCatalogue,
  addClient,
  addCompound,
  addKey,
  addReservation,
  addUser,
  addWallet,
} from '../support/builders.js';
import { documentedOperations, type Operation } from '../support/operations.js';
import { rounds } from '../support/rounds.js';
import { basePath, sharedService } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';

const service = sharedService();

/** A value that somebody else stored, and the operations that show it. */
interface Secret {
  readonly text: string;
  readonly shownBy: readonly string[];
}

const leadReaders = ['leads.read', 'leads.list', 'leads.delete', 'events.read'];
const reservationReaders = [
  'reservations.write',
  'reservations.read',
  'reservations.list',
  'events.read',
];
const chequeReaders = [...reservationReaders, 'reservations.reconcile'];
const unitReaders = ['units.write', 'catalogue.read', 'events.read'];

/** Stores records whose every field has a unique value. */
async function addSecretRecords(tenant: TenantApi) {
  const secrets: Secret[] = [];
  const secret = (shownBy: readonly string[], text = `secret-${randomUUID()}`) => {
    secrets.push({ text, shownBy });
    return text;
  };
  const phoneOf = (shownBy: readonly string[]) =>
    `+20${secret(shownBy, `10${String(randomInt(1e8)).padStart(8, '0')}`)}`;

  const project = secret(['catalogue.read', ...leadReaders]);
  const compoundId = await tenant.add(
    addCompound,
    { 'en-us': project },
    { slug: 'palm', description: { 'en-us': secret(['catalogue.read']) } },
  );
  const unitId = await addCatalogue(service.db, 'units', tenant.organizationId, {
    compoundId,
    slug: 'villa',
    recordSystemId: 'villa-1',
    unitId: secret(unitReaders),
    name: { 'en-us': secret(unitReaders), 'ar-eg': secret(unitReaders) },
    status: 'Reserved',
    price: Number(secret(unitReaders, String(randomInt(1e9, 1e10)))),
  });

  // The client of another program has a phone that no lead has.
  const clientPhone = phoneOf(['events.read']);
  const ownClientId = await tenant.add(addClient, {
    name: secret(['events.read']),
    email: `${secret(['events.read'])}@example.com`,
    phoneNumbers: [clientPhone],
  });
  secret(leadReaders, ownClientId.toHexString());

  const phoneNumber = phoneOf(leadReaders);
  const phoneNumber2 = phoneOf(leadReaders);
  await tenant
    .post('/leads', {
      recordSystemId: 'visitor',
      name: secret(leadReaders),
      email: `${secret(leadReaders)}@example.com`,
      phoneNumber,
      phoneNumber2,
      project,
      data: {
        leadSource: secret(leadReaders),
        notes: secret(leadReaders),
        [secret(leadReaders)]: { nested: [secret(leadReaders)] },
      },
      additionalData: { [secret(leadReaders)]: secret(leadReaders) },
    })
    .expect(201);
  const assignedToId = await tenant.add(addUser, secret(['leads.write']));
  const [parent] = await tenant.stored('users');
  await tenant.set('leads', {}, { assignedToId, parentId: parent?._id });
  const lead = await tenant.storedOne('leads');
  secret(leadReaders, assignedToId.toHexString());
  secret(leadReaders, String(lead['clientId']));
  secret(['leads.write', ...leadReaders, ...reservationReaders], String(lead._id));

  const reservationId = await tenant.add(addReservation, unitId, {
    leadId: lead._id,
    recordSystemId: 'deal',
    status: 'pending_cheque_collection',
  });
  secret([...reservationReaders, ...unitReaders], unitId.toHexString());
  const walletId = await tenant.add(addWallet, {
    reservationId,
    unitId,
    cheques: ['known', secret(chequeReaders)].map((installmentId) => ({
      installmentId,
      status: 'overdue',
      chequeNumber: secret(chequeReaders),
      chequeAmount: Number(secret(chequeReaders, String(randomInt(1e9, 1e10)))),
    })),
  });
  secret(reservationReaders, walletId.toHexString());

  const bodies: Readonly<Record<string, readonly object[]>> = {
    'POST /leads': leadBodies({ phoneNumber, phoneNumber2, clientPhone, project }),
    'POST /leads/batch': [false, true].map((dryRun) => ({
      leads: leadBodies({ phoneNumber, phoneNumber2, clientPhone, project }),
      dryRun,
    })),
    'POST /units': [
      { recordSystemId: 'villa-1' },
      { recordSystemId: 'villa-1', compound: 'none' },
      { recordSystemId: 'new', compound: 'palm', propertyType: 'none' },
      { recordSystemId: 'villa-1', price: -1 },
    ],
    'POST /reservations': [
      { recordSystemId: 'deal' },
      { recordSystemId: 'deal', status: 'approved' },
      { recordSystemId: 'deal', unit: { unitId: 'none' } },
      { unit: 'villa', lead: { recordSystemId: 'visitor' }, status: 'rejected' },
    ],
    'POST /reservations/webhook': [
      { reservationId, installmentId: 'known', chequeStatus: 'overdue' },
      { reservationId, installmentId: 'unknown', chequeStatus: 'bounced' },
      { reservationId, reservationStatus: 'pending' },
      { reservationId, reservationStatus: 'wrong' },
      { reservationId: lead._id, reservationStatus: 'approved' },
    ],
    'POST /reservations/reconciliation': [
      {
        cheques: [{ reservationId, installmentId: 'known', chequeStatus: 'pending' }],
        complete: true,
      },
      { cheques: [] },
    ],
  };
  const ids = ['visitor', 'villa', 'palm', 'deal', String(reservationId), String(lead._id)];
  return { secrets, bodies, ids };
}

/** Names the lead and its person in every way that a sender may know. */
function leadBodies({
  phoneNumber,
  phoneNumber2,
  clientPhone,
  project,
}: Readonly<Record<'phoneNumber' | 'phoneNumber2' | 'clientPhone' | 'project', string>>) {
  const recordSystemId = 'visitor';
  return [
    { recordSystemId },
    { recordSystemId, data: {}, additionalData: {} },
    { recordSystemId, dryRun: true },
    { recordSystemId, data: { probe: 1 }, additionalData: { probe: null } },
    { recordSystemId, project: 'none' },
    { recordSystemId, email: 'wrong' },
    { recordSystemId, phoneNumber: phoneNumber2 },
    { recordSystemId: `new-${randomUUID()}`, phoneNumber },
    { recordSystemId: `new-${randomUUID()}`, phoneNumber: clientPhone, project },
    { data: { phoneNumber2 } },
  ];
}

interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

type SecretRecords = Awaited<ReturnType<typeof addSecretRecords>>;

const queries: Readonly<Record<string, readonly string[]>> = {
  'GET /leads': [
    '',
    '?recordSystemId=visitor',
    '?recordSystemId=none',
    '?after=0&includeDeleted=1',
    '?updatedSince=2020-01-01',
    '?email=wrong',
    '?compound=none',
  ],
  'GET /reservations': ['', '?after=0', '?updatedSince=2020-01-01', '?unit=villa', '?status=wrong'],
  'GET /cheques': ['', '?dueFrom=2020-01-01', '?reservation=deal'],
  'GET /units': ['', '?updatedSince=2020-01-01', '?status=wrong', '?compound=none', '?nothing=1'],
  'GET /units/export/all': ['?format=csv', '?format=ndjson'],
  'GET /compounds': ['', '?all=1', '?after=0', '?limit=0'],
  'GET /events': ['?after=0', '?after=9999'],
};

/** Sends known and unknown ids to each endpoint, with and without a body that it accepts. */
function requestsTo(operation: Operation, { bodies, ids }: SecretRecords): SentRequest[] {
  const { name, method, path, hasBody, exampleBody } = operation;
  const paths = /\{\w+\}/.test(path)
    ? ids.map((id) => path.replace(/\{\w+\}/, id))
    : (queries[name] ?? ['']).map((query) => `${path}${query}`);
  const sent = hasBody ? (bodies[name] ?? [exampleBody]) : [];
  const texts = hasBody ? [...sent.map((body) => JSON.stringify(body)), '{'] : [undefined];
  return paths.flatMap((to) => [
    ...texts.map((body) => ({ method, path: to, ...(body !== undefined && { body }) })),
    ...(method === 'GET' ? [{ method: 'HEAD', path: to }] : []),
    { method: 'PUT', path: to },
  ]);
}

async function responseText({ method, path, body }: SentRequest, key: string, language: string) {
  const response = await fetch(`${service.url}/${basePath}${path}`, {
    method,
    headers: { 'api-key': key, language, 'content-type': 'application/json' },
    ...(body !== undefined && { body }),
  });
  const headers = JSON.stringify([...response.headers]);
  return `${response.status} ${headers} ${await response.text()}`;
}

const routes = documentedOperations();

/** Returns the secrets in the responses to all requests. A value of the request itself is no secret. */
async function secretsSeenBy(key: string, records: SecretRecords) {
  const seen: { readonly secret: Secret; readonly where: string }[] = [];
  // Deletions come last, because they hide what other requests could show.
  const sorted = routes.toSorted((one, other) => other.method.localeCompare(one.method));
  for (const route of sorted) {
    for (const sent of requestsTo(route, records)) {
      for (const language of sent.method === 'GET' ? ['en-us', 'ar-eg'] : ['en-us']) {
        const text = await responseText(sent, key, language);
        const asked = `${sent.path} ${sent.body ?? ''}`;
        const shown = records.secrets.filter(
          (secret) => text.includes(secret.text) && !asked.includes(secret.text),
        );
        seen.push(...shown.map((secret) => ({ secret, where: `${sent.method} ${asked}` })));
      }
    }
  }
  return seen;
}

const keys: readonly (readonly [name: string, operations: readonly string[]])[] = [
  ...Object.entries(keyPurposes).map(
    ([purpose, { operations: may }]) => [`--for ${purpose}`, may] as const,
  ),
  ...operations.map((operation) => [operation, [operation]] as const),
];

describe('a key', () => {
  it.each(keys)('%s learns nothing that its operations do not show', async (_, permitted) => {
    const tenant = await service.addTenant();
    const records = await addSecretRecords(tenant);
    const permissions = { allowExternal: true, operations: permitted };
    const key = await tenant.add(addKey, { permissions });
    const seen = await secretsSeenBy(key, records);
    const isShown = ({ shownBy }: Secret) => permitted.some((name) => shownBy.includes(name));
    expect(seen.filter(({ secret }) => !isShown(secret))).toEqual([]);
    if (permitted.length < operations.length) return;
    // This key proves that the requests find every secret. Some are in events alone.
    const found = new Set(seen.map(({ secret }) => secret.text));
    const missed = records.secrets.filter(({ text }) => !found.has(text));
    expect(missed.filter(({ shownBy }) => shownBy.join() !== 'events.read')).toEqual([]);
  });
});

describe('a key without leads.read', () => {
  const permissions = { allowExternal: true, operations: ['leads.write'] };
  const data = fc.dictionary(
    fc.constantFrom('name', 'notes', 'budget', 'nested', 'leadSource', 'lists'),
    fc.oneof(fc.string({ maxLength: 8 }), fc.integer(), fc.boolean(), fc.constant(null)),
  );
  const lead = fc.record(
    { name: fc.constant('Mona'), data, additionalData: data },
    { requiredKeys: [] },
  );

  it('gets only ids, compounds and the values that its request sent, for every lead', async () => {
    const tenant = await service.addTenant();
    await tenant.add(addCompound, { 'en-us': 'Palm' });
    const website = tenant.with(await tenant.add(addKey, { permissions }));
    let id = 0;
    const property = fc.asyncProperty(lead, lead, fc.boolean(), async (first, second, isBatch) => {
      const recordSystemId = `lead-${id++}`;
      const created = await tenant
        .post('/leads', { recordSystemId, project: 'Palm', ...first })
        .expect(201);
      const { _id, leadId, compoundsIds } = created.body.lead;
      const body = { recordSystemId, ...second };
      const sent = {
        _id,
        leadId,
        recordSystemId,
        compoundsIds,
        data: { ...(second.name && { name: second.name }), ...second.data },
        additionalData: { ...second.additionalData },
      };
      if (isBatch) {
        for (const dryRun of [true, false]) {
          const batch = await website.post('/leads/batch', { leads: [body, body], dryRun });
          const results = batch.body.results as readonly { readonly lead: unknown }[];
          expect(results.map((result) => result.lead)).toEqual([sent, sent]);
        }
      } else {
        const updated = await website.post('/leads', body).expect(200);
        expect(updated.body).toEqual({ ok: true, operation: 'update', lead: sent, newLead: sent });
      }
    });
    await fc.assert(property, { numRuns: rounds(40, 1_000) });
  });

  it('gets only these for a lead that it creates, and for a repetition', async () => {
    const tenant = await service.addTenant();
    const website = tenant.with(await tenant.add(addKey, { permissions }));
    const body = { name: 'Mona', phoneNumber: '01001234567', additionalData: { utm: 'x' } };
    const post = () => website.post('/leads', body).set('idempotency-key', 'once').expect(201);
    const { body: first } = await post();
    expect(first.lead).toEqual({
      _id: expect.any(String),
      leadId: 1,
      compoundsIds: [],
      data: { name: 'Mona', phoneNumber: '01001234567' },
      additionalData: { utm: 'x' },
    });
    expect((await post()).body).toEqual(first);
    // The shorter response must not shorten the stored lead.
    const stored = await tenant.storedOne('leads');
    expect(stored).toMatchObject({ data: first.lead.data, clientId: expect.anything() });
  });
});

describe('a key with leads.write and leads.read', () => {
  it('gets the whole lead from an upsert', async () => {
    const tenant = await service.addTenant();
    const permitted = ['leads.write', 'leads.read'];
    const crm = tenant.with(
      await tenant.add(addKey, { permissions: { allowExternal: true, operations: permitted } }),
    );
    await crm.post('/leads', { recordSystemId: 'a', name: 'Mona' }).expect(201);
    const { body } = await crm.post('/leads', { recordSystemId: 'a' }).expect(200);
    expect(body.lead).toEqual((await crm.get('/leads/a').expect(200)).body.lead);
    expect(body.newLead).toEqual(body.lead);
  });
});
