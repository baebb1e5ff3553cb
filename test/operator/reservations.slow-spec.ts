import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { addReservation, addTenant, addUnit, addWallet, type Tenant } from '../support/builders.js';
import { sharedService } from '../support/shared-service.js';
import { runJson, startSession } from './command-line.js';

const service = sharedService();
const cli = startSession(() => ({ MONGODB_URI: service.databaseUri }));
let tenant: Tenant;
let reservationId: string;
let blockingId: string;

const callback = (body: object, key = tenant.key) =>
  service
    .api('post', '/reservations/webhook')
    .set('api-key', key)
    .send({ reservationId, ...body });

beforeAll(async () => {
  tenant = await addTenant(service.db);
  const { organizationId } = tenant;
  const unitId = await addUnit(service.db, organizationId, { slug: 'villa-1' });
  const external = { recordSystemId: 'ERP-77' };
  const _id = await addReservation(service.db, organizationId, unitId, external);
  reservationId = _id.toHexString();
  const cheques = [{ installmentId: '1' }, { installmentId: '2', dueDate: new Date('2026-06-01') }];
  await addWallet(service.db, organizationId, { reservationId: _id, unitId, cheques });
  const otherTenant = await addTenant(service.db);
  await callback({ reservationStatus: 'canceled' }, otherTenant.key).expect(404);
  await callback({ installmentId: '1', chequeStatus: 'bounced', chequeNumber: '77' }).expect(201);
  const approved = await addReservation(service.db, organizationId, unitId, { status: 'approved' });
  blockingId = approved.toHexString();
  await callback({ installmentId: '1', chequeStatus: 'collected' }).expect(422);
});

describe('reservation show', () => {
  it('prints unit, status, wallet and the history of each cheque', async () => {
    const { code, stdout } = await cli.run(`reservation show ${reservationId}`);
    expect(code).toBe(0);
    for (const line of [
      /^Status +canceled$/m,
      /^Unit +villa-1$/m,
      /^Unit status +Available$/m,
      /^Partner collection +active$/m,
      /^Wallet +deleted$/m,
      /^Wallet deleted +20/m,
      /^Installment +1\nCheque +collected\nNumber +77$/m,
      /^Installment +2\nCheque +pending\n(.*\n)*Due +2026-06-01$/m,
      /^20\S+ +1 +bounced +77 +- +External API$/m,
      /^20\S+ +1 +collected +- +- +External API$/m,
    ]) {
      expect(stdout).toMatch(line);
    }
  });

  it('prints the same as JSON', async () => {
    const shown = await cli.json(`reservation show ${reservationId}`);
    expect(shown).toMatchObject({
      _id: reservationId,
      organizationId: tenant.organizationId.toHexString(),
      status: 'canceled',
      unit: { slug: 'villa-1', status: 'Available', isDeleted: false },
      wallets: [
        {
          isDeleted: true,
          cheques: [
            { installmentId: '1', statusHistory: [{ status: 'bounced' }, { status: 'collected' }] },
            { installmentId: '2', status: 'pending', statusHistory: [] },
          ],
        },
      ],
    });
  });

  it.each([new ObjectId().toHexString(), 'unknown'])(
    'rejects the unknown id %s with one line',
    async (id) => {
      const outcome = await cli.run(`reservation show ${id}`);
      const stderr = `There is no reservation with id ${id}.\n`;
      expect(outcome).toEqual({ code: 1, stdout: '', stderr });
    },
  );
});

describe('reservation callbacks', () => {
  it('lists the outcome of each callback of any organization, newest first', async () => {
    const list = await cli.json(`reservation callbacks ${reservationId}`);
    expect(list).toMatchObject([
      {
        payload: { installmentId: '1', chequeStatus: 'collected' },
        outcome: { status: 422, messages: ['This unit already reserved'], cheque: 'applied' },
      },
      { outcome: { status: 201, messages: [], cheque: 'applied' } },
      { outcome: { status: 404, messages: ['Reservation not found'], reservation: 'unchanged' } },
    ]);
    const { stdout } = await cli.run('reservation callbacks ERP-77 --limit 1');
    const titles = stdout.match(/^\w.*?(?= {2})/gm);
    expect(titles).toEqual(expect.arrayContaining(['Received', 'Response', 'Why', 'Request']));
    expect(new Set(titles).size).toBe(titles?.length);
    expect(stdout).toMatch(/^Response +422\nReservation +unchanged\nCheque +applied$/m);
    expect(stdout).toMatch(/^Why +This unit already reserved$/m);
    expect(stdout).toMatch(/^Sent +installmentId=1 chequeStatus=collected/m);
    expect(stdout).toContain(`The unit has other approved reservations: ${blockingId}.\n`);
  });
});

describe('reservation reconcile', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'integration-api-ledger-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function reconcile(ledger: string, ...options: string[]) {
    const file = join(folder, 'ledger.csv');
    await writeFile(file, ledger);
    const org = tenant.organizationId.toHexString();
    return cli.run(`reservation reconcile ${file} --org ${org}`, ...options);
  }

  const header = 'installmentId,reservationId,chequeStatus,chequeAmount,chequeNumber\n';

  it('compares a ledger for longer than DATABASE_DEADLINE_MS', async () => {
    const rows = Array.from(
      { length: 20_000 },
      () => `1,${new ObjectId().toHexString()},pending,,`,
    );
    const file = join(folder, 'long.csv');
    await writeFile(file, `${header}${rows.join('\n')}\n`);
    const org = tenant.organizationId.toHexString();
    const compared = await runJson<object>(['reservation', 'reconcile', file, '--org', org], {
      MONGODB_URI: service.databaseUri,
      DATABASE_DEADLINE_MS: '100',
    });
    expect(compared).toMatchObject({ compared: 20_000, matching: 0 });
  });

  it('prints differences as a table', async () => {
    const ledger = `\u{FEFF}${header}1,${reservationId},collected,,77\n2,${reservationId},overdue,5.5,\n`;
    const { code, stdout } = await reconcile(ledger);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^2 entries compared, 1 matches, 2 findings\.$/m);
    expect(stdout).toMatch(/^2 +[0-9a-f]{24} +2 +status +pending +overdue$/m);
    expect(stdout).toMatch(/^2 +[0-9a-f]{24} +2 +amount +- +5\.5$/m);
  });

  it('counts a single entry as one, and ignores an empty row', async () => {
    const row = `1,${reservationId},overdue,,77\n`;
    expect((await reconcile(`${header},,,,\n${row} ,,,,\n`)).stdout).toMatch(
      /^1 entry compared, 0 match, 1 finding\.$/m,
    );
    const { stderr } = await reconcile(`${header}1,${reservationId},pending,1e3,\n`);
    expect(stderr).toBe('The file has 1 error, nothing was compared.\n');
  });

  it('prints differences as CSV and JSON, with unmentioned cheques of a complete ledger', async () => {
    const ledger = `${header}1,${reservationId},pending,,\n`;
    const csv = await reconcile(ledger, '--complete', '--csv');
    expect(csv.stdout.split('\r\n')).toEqual([
      'Entry,Reservation,Installment,Difference,Ours,Theirs',
      `1,${reservationId},1,status,collected,pending`,
      `,${reservationId},2,unmentioned,pending,`,
      '',
    ]);
    const { stdout } = await reconcile(ledger, '--complete', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      differences: [{ index: 0, kind: 'status', ours: 'collected', theirs: 'pending' }],
      unmentioned: [{ installmentId: '2', status: 'pending' }],
    });
  });

  it('rejects an invalid ledger with its line numbers and compares nothing', async () => {
    const ledger = `${header}1,${reservationId},paid,,\n,${reservationId},pending,1e3,\n`;
    const { code, stdout, stderr } = await reconcile(ledger);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^2 +chequeStatus must be a valid enum value$/m);
    expect(stdout).toMatch(/^3 +chequeAmount must be a finite number$/m);
    expect(stdout).toMatch(/^3 +installmentId /m);
    expect(stderr).toContain('nothing was compared');
  });

  it('reports unknown and missing columns once, not per row', async () => {
    const row = `1,${reservationId},pending,,\n`;
    const known = 'reservationId, installmentId, chequeStatus, chequeNumber, chequeAmount';
    const headers = {
      'installmentId,reservation,chequeStatus,amount,chequeNumber':
        `Unknown columns: reservation, amount. Known are ${known}. ` +
        'Missing columns: reservationId.\n',
      'installmentId;reservationId;chequeStatus':
        `Unknown columns: installmentId;reservationId;chequeStatus. Known are ${known}. ` +
        'Missing columns: reservationId, installmentId, chequeStatus. ' +
        'Separate columns by commas.\n',
    };
    for (const [wrong, stderr] of Object.entries(headers)) {
      expect(await reconcile(`${wrong}\n${row}${row}`)).toEqual({ code: 1, stdout: '', stderr });
    }
  });
});
