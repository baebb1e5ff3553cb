import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import {
  addLoggedRequest,
  addReservation,
  addTenant,
  addUnit,
  addWallet,
} from '../support/builders.js';
import { sharedService } from '../support/shared-service.js';
import { startSession } from './command-line.js';

const service = sharedService();
const cli = startSession(() => ({ MONGODB_URI: service.databaseUri }));
let org: string;
let reservation: string;
let folder: string;

/** The names of all fields with the types of their values; of a list, its first item. */
const shapeOf = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.slice(0, 1).map(shapeOf).join('')}]`;
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value;
  const fields = Object.entries(value).map(([name, one]) => `${name}: ${shapeOf(one)}`);
  return `{ ${fields.toSorted().join(', ')} }`;
};

const shape = async (line: string) => shapeOf(await cli.json(line));

/** Prints of all organizations; the shared database holds some with invalid values, which are logged. */
const ofAllOrganizations = async <T>(line: string) =>
  JSON.parse((await cli.run(`${line} --json`)).stdout) as T[];

beforeAll(async () => {
  const { organizationId, key } = await addTenant(service.db);
  org = organizationId.toHexString();
  const post = (path: string, body: object) =>
    service.api('post', path).set('api-key', key).send(body);
  const unitId = await addUnit(service.db, organizationId, { slug: 'villa-json' });
  const reservationId = await addReservation(service.db, organizationId, unitId);
  reservation = reservationId.toHexString();
  const cheques = [{ installmentId: '1', dueDate: new Date('2026-06-01') }];
  await addWallet(service.db, organizationId, { reservationId, unitId, cheques });
  const report = { installmentId: '1', chequeStatus: 'bounced', chequeNumber: '77' };
  await post('/reservations/webhook', { reservationId: reservation, ...report }).expect(201);
  await post('/leads', { recordSystemId: 'json', phoneNumber: '01001230000' }).expect(201);
  folder = await mkdtemp(join(tmpdir(), 'json-contract-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('commands keep the JSON fields that programs read', async () => {
  const ledger = join(folder, 'ledger.csv');
  await writeFile(ledger, `reservationId,installmentId,chequeStatus\n${reservation},1,pending\n`);
  const issued = await cli.json<{ _id: string }>(`key issue --org ${org} --name JSON --for crm`);
  const organizations = await ofAllOrganizations<{ _id: string }>('org list');
  const { _id: key } = issued;
  const ids = { organizationId: new ObjectId(org), apiKeyId: new ObjectId(key) };
  const usage = await ofAllOrganizations<{ keyId: string }>('key usage');
  await addLoggedRequest(service.db, ids, 1, { errorCodes: ['lead.duplicate_phone'] });
  expect({
    'lead show': await shape(`lead show json --org ${org}`),
    'lead history': await shape(`lead history json --org ${org}`),
    'reservation show': await shape(`reservation show ${reservation}`),
    'reservation callbacks': await shape(`reservation callbacks ${reservation}`),
    'reservation reconcile': await shape(`reservation reconcile ${ledger} --org ${org}`),
    'org show': await shape(`org show ${org}`),
    'org list': shapeOf(organizations.filter(({ _id }) => _id === org)),
    'key issue': shapeOf(issued),
    'key list': await shape(`key list --org ${org}`),
    'key limit': await shape(`key limit ${key} --rps 5`),
    'key rotate': await shape(`key rotate ${key}`),
    'key revoke': await shape(`key revoke ${key}`),
    'key requests': await shape(`key requests ${key}`),
    'key usage': shapeOf(usage.filter(({ keyId }) => keyId === key)),
  }).toEqual({
    'key issue':
      '{ _id: string, addresses: null, expiresAt: null, isUnrestricted: boolean, key: string, name: string, operations: [string], organizationId: string, prefix: string }',
    'key limit':
      '{ _id: string, addresses: null, allowExternal: boolean, createdAt: string, expiresAt: null, isSigned: boolean, isUnrestricted: boolean, lastUsedAt: null, name: string, operations: [string], organizationId: string, prefix: string, rateLimit: { burst: number, rps: number }, readEvents: boolean, revokedAt: null, state: string }',
    'key list':
      '[{ _id: string, addresses: null, allowExternal: boolean, createdAt: string, expiresAt: null, isSigned: boolean, isUnrestricted: boolean, lastUsedAt: string, name: string, operations: [string], organizationId: string, prefix: string, rateLimit: null, readEvents: boolean, revokedAt: null, state: string, used: {  } }]',
    'key requests':
      '[{ durationMs: number, errorCodes: [string], ignoredFields: [], messages: [], requestId: string, route: string, status: number, time: string }]',
    'key revoke':
      '{ _id: string, addresses: null, allowExternal: boolean, createdAt: string, expiresAt: string, isSigned: boolean, isUnrestricted: boolean, lastUsedAt: null, name: string, operations: [string], organizationId: string, prefix: string, rateLimit: { burst: number, rps: number }, readEvents: boolean, revokedAt: string, state: string }',
    'key rotate':
      '{ _id: string, addresses: null, expiresAt: null, isUnrestricted: boolean, key: string, name: string, old: { _id: string, expiresAt: string, prefix: string }, operations: [string], organizationId: string, prefix: string }',
    'key usage':
      '[{ calls: number, errors: number, expiresAt: null, isSigned: boolean, isUnrestricted: boolean, keyId: string, lastCallAt: null, missedCalls: number, name: string, operations: [string], organizationId: string, organizationName: string, state: string, used: {  }, usualCalls: null, week: [number] }]',
    'lead history':
      '[{ at: string, changes: [{ field: string, from: null, to: string }], kind: string, leadId: number, modifier: string, requestId: string, source: string, what: string }]',
    'lead show':
      '{ _id: string, additionalData: {  }, assignedToId: null, clientId: string, compoundsIds: [], createdAt: string, data: { phoneNumber: string }, isActive: boolean, isDeleted: boolean, leadId: number, parentId: null, recordSystemId: string, updatedAt: string }',
    'org list':
      '[{ _id: string, apiDomain: string, createdAt: string, logo: string, name: string, settings: { allowConflictLeads: boolean, clients: { createFromLeads: boolean, matchBy: [string], updateExisting: boolean }, phoneCountry: string }, updatedAt: string }]',
    'org show':
      '{ _id: string, apiDomain: string, createdAt: string, logo: string, name: string, settings: { allowConflictLeads: boolean, clients: { createFromLeads: boolean, matchBy: [string], updateExisting: boolean }, phoneCountry: string }, updatedAt: string }',
    'reservation callbacks':
      '[{ apiKeyId: string, organizationId: string, otherFields: number, outcome: { cheque: string, effects: { cheque: { from: string, to: string }, reservation: { from: string, to: string }, wallet: string }, errorCode: null, messages: [], reservation: string, status: number }, payload: { chequeNumber: string, chequeStatus: string, installmentId: string, reservationId: string }, receivedAt: string, refusedFields: [], requestId: string }]',
    'reservation reconcile':
      '{ compared: number, differences: [{ index: number, installmentId: string, kind: string, ours: string, reservationId: string, theirs: string }], matching: number, ok: boolean }',
    'reservation show':
      '{ _id: string, approvedAt: null, canceledAt: string, createdAt: string, isDeleted: boolean, leadId: null, organizationId: string, partnerCollection: { isActive: boolean }, status: string, unit: { isDeleted: boolean, slug: string, status: string }, unitId: string, updatedAt: string, wallets: [{ _id: string, cheques: [{ chequeNumber: string, dueDate: string, installmentId: string, status: string, statusHistory: [{ changedAt: string, chequeNumber: string, source: string, status: string }] }], createdAt: string, deletedAt: string, isDeleted: boolean, reservationId: string, unitId: string, updatedAt: string }] }',
  });
});
