import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import {
  addLoggedRequest,
  addReservation,
  addUnit,
  addWallet,
  type Tenant,
} from '../support/builders.js';
import { sharedService } from '../support/shared-service.js';
import { startSession } from './command-line.js';

const service = sharedService();
const cli = startSession(() => ({ MONGODB_URI: service.databaseUri }));
let org: string;
let id: string;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'integration-api-lookups-'));
  const [tenant, other] = [await service.addTenant(), await service.addTenant()];
  org = tenant.organizationId.toHexString();
  const unitId = await tenant.add(addUnit, { slug: 'villa-1' });
  const reservationId = await tenant.add(addReservation, unitId, { recordSystemId: 'ERP-77' });
  id = reservationId.toHexString();
  const dueDate = new Date('2026-06-01');
  const cheques = [
    { installmentId: '1', dueDate },
    { installmentId: '2', dueDate },
  ];
  await tenant.add(addWallet, { reservationId, unitId, cheques });
  const report = (from: Tenant, body: object) =>
    tenant.with(from.key).post('/reservations/webhook', { reservationId: id, ...body });
  const bounced = { installmentId: '1', chequeStatus: 'bounced', chequeNumber: '77' };
  await report(other, { reservationStatus: 'canceled' }).expect(404);
  await report(tenant, bounced).expect(201);
  // An approved reservation blocks callbacks of others for the same unit.
  await tenant.add(addReservation, unitId, { recordSystemId: 'ERP-78', status: 'approved' });
  await report(tenant, { installmentId: '1', chequeStatus: 'collected' }).expect(422);
  const lead = { recordSystemId: 'form-1', phoneNumber: '01001230000' };
  await tenant.post('/leads', lead).expect(201);
  await tenant.post('/leads', { ...lead, data: { budget: 5 } }).expect(200);
});
afterAll(() => rm(folder, { recursive: true }));

async function ledgerFile(ledger: string): Promise<string> {
  const file = join(folder, 'ledger.csv');
  await writeFile(file, ledger);
  return file;
}

/** Describes a value by field names and types. A list is described by its first item. */
const shapeOf = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.slice(0, 1).map(shapeOf).join('')}]`;
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value;
  const fields = Object.entries(value).map(([name, one]) => `${name}: ${shapeOf(one)}`);
  return `{ ${fields.toSorted().join(', ')} }`;
};

describe('the JSON of commands', () => {
  const shape = async (line: string) => shapeOf(await cli.json(line));

  /**
   * The shared database has organizations with invalid values, which are logged. `cli.json` would refuse that
   * output.
   */
  const readAcrossOrganizations = async <T>(line: string) =>
    JSON.parse((await cli.run(`${line} --json`)).stdout) as T[];

  it('keeps the fields that programs read', async () => {
    const ledger = await ledgerFile(`reservationId,installmentId,chequeStatus\n${id},1,pending\n`);
    const issued = await cli.json<{ _id: string }>(`key issue --org ${org} --name JSON --for crm`);
    const organizations = await readAcrossOrganizations<{ _id: string }>('org list');
    const { _id: key } = issued;
    const ids = { organizationId: new ObjectId(org), apiKeyId: new ObjectId(key) };
    const usage = await readAcrossOrganizations<{ keyId: string }>('key usage');
    await addLoggedRequest(service.db, ids, 1, { errorCodes: ['lead.duplicate_phone'] });
    expect({
      'lead show': await shape(`lead show form-1 --org ${org}`),
      'lead history': await shape(`lead history form-1 --org ${org}`),
      'reservation show': await shape(`reservation show ${id}`),
      // The newest callback was refused, so only the older ones have all fields.
      'reservation callbacks': shapeOf(
        (await cli.json<[]>(`reservation callbacks ${id}`)).slice(1),
      ),
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
        '{ _id: string, addresses: null, expiresAt: null, isUnrestricted: boolean, key: string, name: string, operations: [string], organizationId: string, origins: null, prefix: string, visibility: string }',
      'key limit':
        '{ _id: string, addresses: null, allowExternal: boolean, createdAt: string, expiresAt: null, isSigned: boolean, isUnrestricted: boolean, lastUsedAt: null, lostOperations: [], name: string, newOperations: [], operations: [string], organizationId: string, origins: null, prefix: string, rateLimit: { burst: number, rps: number }, revokedAt: null, state: string, visibility: string }',
      'key list':
        '[{ _id: string, addresses: null, allowExternal: boolean, createdAt: string, expiresAt: null, isSigned: boolean, isUnrestricted: boolean, lastUsedAt: string, lostOperations: [], name: string, newOperations: [string], operations: [string], organizationId: string, origins: null, prefix: string, rateLimit: null, revokedAt: null, state: string, usedOperations: [], visibility: string }]',
      'key requests':
        '[{ durationMs: number, errorCodes: [string], ignoredFields: [], messages: [], notices: [], requestId: string, route: string, status: number, time: string }]',
      'key revoke':
        '{ _id: string, addresses: null, allowExternal: boolean, createdAt: string, expiresAt: string, isSigned: boolean, isUnrestricted: boolean, lastUsedAt: null, lostOperations: [], name: string, newOperations: [], operations: [string], organizationId: string, origins: null, prefix: string, rateLimit: { burst: number, rps: number }, revokedAt: string, state: string, visibility: string }',
      'key rotate':
        '{ _id: string, addresses: null, expiresAt: null, isUnrestricted: boolean, key: string, name: string, old: { _id: string, expiresAt: string, prefix: string }, operations: [string], organizationId: string, origins: null, prefix: string, visibility: string }',
      'key usage':
        '[{ activeDays: number, addresses: [], calls: number, expiresAt: null, failed: number, feed: null, isReducible: boolean, isSigned: boolean, isUnrestricted: boolean, keyId: string, lastCallAt: null, name: string, operations: [string], organizationId: string, organizationName: string, origins: [], prefix: string, refused: number, state: string, unusedOperations: [string], usedOperations: [], visibility: string }]',
      'lead history':
        '[{ at: string, changes: [{ field: string, from: null, to: string }], kind: string, leadId: number, modifier: string, requestId: string, source: string, what: string }]',
      'lead show':
        '{ _id: string, additionalData: {  }, assignedToId: null, clientId: string, compoundsIds: [], createdAt: string, data: { budget: number, phoneNumber: string }, isActive: boolean, isDeleted: boolean, leadId: number, parentId: null, recordSystemId: string, updatedAt: string }',
      'org list':
        '[{ _id: string, apiDomain: string, createdAt: string, logo: string, name: string, settings: { allowConflictLeads: boolean, clients: { createFromLeads: boolean, matchBy: [string], updateExisting: boolean }, phoneCountry: string }, updatedAt: string }]',
      'org show':
        '{ _id: string, apiDomain: string, createdAt: string, logo: string, name: string, settings: { allowConflictLeads: boolean, clients: { createFromLeads: boolean, matchBy: [string], updateExisting: boolean }, phoneCountry: string }, updatedAt: string }',
      'reservation callbacks':
        '[{ apiKeyId: string, keyName: string, organizationId: string, organizationName: string, otherFields: number, outcome: { cheque: string, effects: { cheque: { from: string, to: string }, reservation: { from: string, to: string }, wallet: string }, errorCode: null, messages: [], reservation: string, status: number }, payload: { chequeNumber: string, chequeStatus: string, installmentId: string, reservationId: string }, receivedAt: string, refusedFields: [], requestId: string }]',
      'reservation reconcile':
        '{ compared: number, differences: [{ index: number, installmentId: string, kind: string, ours: string, reservationId: string, theirs: string }], matching: number, ok: boolean }',
      'reservation show':
        '{ _id: string, approvedAt: null, canceledAt: string, createdAt: string, isDeleted: boolean, leadId: null, organizationId: string, partnerCollection: { isActive: boolean }, recordSystemId: string, status: string, unit: { isDeleted: boolean, slug: string, status: string }, unitId: string, updatedAt: string, wallets: [{ _id: string, cheques: [{ chequeNumber: string, dueDate: string, installmentId: string, status: string, statusHistory: [{ changedAt: string, chequeNumber: string, source: string, status: string }] }], createdAt: string, deletedAt: string, isDeleted: boolean, reservationId: string, unitId: string, updatedAt: string }] }',
    });
  });
});

/** The tables have the same fields as the console, whose tests check the values. */
describe('the table', () => {
  it.each([
    ['reservation show', /^Unit status +Available$[^]+^Wallet +deleted$/m],
    ['reservation show', /^2 +pending +- +- +2026-06-01 +deleted +20\S+$/m],
    ['reservation show', /^20\S+ +1 +bounced +77 +- +External API$/m],
    ['reservation callbacks', /^Reservation ERP-77, unit villa-1$/m],
    ['reservation callbacks', /^20\S+ +422 +unchanged +applied +This unit already.+Website$/m],
    ['lead history', /External Lead Update +data\.budget: null -> 5$/m],
  ])('of %s has lines like %s', async (command, lines) => {
    const reference = command.startsWith('lead') ? `form-1 --org ${org}` : 'ERP-77';
    expect(await cli.text(`${command} ${reference}`)).toMatch(lines);
  });
});

it('the command reservation callbacks lists callbacks of all organizations, newest first, and what blocks the unit', async () => {
  const list = await cli.json<{ outcome: { status: number } }[]>(`reservation callbacks ${id}`);
  expect(list.map(({ outcome }) => outcome.status)).toEqual([422, 201, 404]);
  const newest = await cli.text('reservation callbacks ERP-77 --limit 1');
  expect(newest.match(/^20\S+ /gm)).toHaveLength(1);
  expect(newest).toContain('The unit has other approved reservations: ERP-78.\n');
});

describe('the command reservation reconcile', () => {
  const header = 'installmentId,reservationId,chequeStatus,chequeAmount,chequeNumber\n';
  const reconcile = async (ledger: string, ...options: string[]) => {
    const file = await ledgerFile(ledger);
    return cli.run(`reservation reconcile ${file} --org ${org}`, ...options);
  };

  it('compares a ledger of 20,000 entries', async () => {
    const rows = Array.from({ length: 20_000 }, () => `1,${String(new ObjectId())},pending,,\n`);
    const { stdout } = await reconcile(header + rows.join(''), '--json');
    expect(JSON.parse(stdout)).toMatchObject({ compared: 20_000, matching: 0 });
  });

  it('prints differences as a table, and ignores an empty row', async () => {
    const rows = `1,${id},collected,,77\n ,,,,\n2,${id},overdue,5.5,\n`;
    const { code, stdout } = await reconcile(`\u{FEFF}${header}${rows}`);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^2 entries compared, 1 matches, 2 findings\.$/m);
    expect(stdout).toMatch(/^2 +[0-9a-f]{24} +2 +status +pending +overdue$/m);
    expect(stdout).toMatch(/^2 +[0-9a-f]{24} +2 +amount +- +5\.5$/m);
    const single = await reconcile(`${header}1,${id},overdue,,77\n`);
    expect(single.stdout).toMatch(/^1 entry compared, 0 match, 1 finding\.$/m);
  });

  it('prints differences as CSV and JSON, with unmentioned cheques of a complete ledger', async () => {
    const ledger = `${header}1,${id},pending,,\n`;
    const csv = await reconcile(ledger, '--complete', '--csv');
    expect(csv.stdout.split('\r\n')).toEqual([
      'Entry,Reservation,Installment,Difference,Ours,Theirs',
      `1,${id},1,status,collected,pending`,
      `,${id},2,unmentioned,pending,`,
      '',
    ]);
    const { stdout } = await reconcile(ledger, '--complete', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      differences: [{ index: 0, kind: 'status', ours: 'collected', theirs: 'pending' }],
      unmentioned: [{ installmentId: '2', status: 'pending' }],
    });
  });

  it('refuses an invalid ledger with its line numbers and compares nothing', async () => {
    const rows = `1,${id},paid,,\n,${id},pending,1e3,\n`;
    const { code, stdout, stderr } = await reconcile(header + rows);
    expect([code, stderr]).toEqual([1, 'The file has 4 errors. Nothing was compared.\n']);
    expect(stdout).toMatch(/^2 +chequeStatus must be a valid enum value$/m);
    expect(stdout).toMatch(/^3 +chequeAmount must be a finite number$/m);
    expect(stdout).toMatch(/^3 +installmentId /m);
  });

  it('reports unknown and missing columns once, not per row', async () => {
    const columns = 'reservationId, installmentId, chequeStatus, chequeNumber, chequeAmount';
    const row = `1,${id},pending,,\n`;
    expect(await reconcile(`installmentId;reservationId;chequeStatus\n${row}${row}`)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        `Unknown columns: installmentId;reservationId;chequeStatus. Known are ${columns}. ` +
        'Missing columns: reservationId, installmentId, chequeStatus. ' +
        'Separate columns by commas.\n',
    });
    const { stderr } = await reconcile(`${header.replace('chequeAmount', 'amount')}${row}`);
    expect(stderr).toBe(`Unknown columns: amount. Known are ${columns}.\n`);
  });

  it('refuses a column that occurs twice, because it would hide a difference', async () => {
    const names = 'reservationId,installmentId,chequeStatus,chequeAmount,chequeAmount';
    const { code, stdout, stderr } = await reconcile(`${names}\n${id},1,pending,999,500000\n`);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe('Columns that occur twice: chequeAmount. Keep one of each.\n');
  });
});
