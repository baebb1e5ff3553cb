import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Db, MongoClient, ObjectId } from 'mongodb';
import {
  addKey,
  addLead,
  addReservation,
  addTenant,
  addUnit,
  addWallet,
} from '../support/builders.js';
import { profileCommands } from '../support/command-plans.js';
import { range } from '../support/counting.js';
import { databaseUriOf } from '../support/test-service.js';
import { startSession } from './command-line.js';

const uri = databaseUriOf(`tables-${new ObjectId().toHexString()}`);
const cli = startSession({ MONGODB_URI: uri });
const long = 'A name that is much longer than a column of any table on a terminal '.repeat(3);
const endpoints = 50;
let client: MongoClient;
let db: Db;
let organizationId: ObjectId;

beforeAll(async () => {
  client = await new MongoClient(uri).connect();
  db = client.db();
  ({ organizationId } = await addTenant(db));
  await db.collection('organizations').updateOne({ _id: organizationId }, { $set: { name: long } });
});
afterAll(async () => {
  await db.dropDatabase();
  await client.close();
});

/** Returns the lines after the titles. */
async function rowsOf(call: string): Promise<string[]> {
  const [titles = '', ...rows] = (await cli.text(call)).trimEnd().split('\n');
  expect(titles).toMatch(/^[A-Z ,]+$/);
  expect(Math.max(...[titles, ...rows].map(({ length }) => length))).toBeLessThanOrEqual(120);
  return rows;
}

describe('a table has one line of at most 120 columns for each', () => {
  it('key', async () => {
    const permissions = {
      allowExternal: true,
      operations: ['leads.write', 'leads.read', 'units.write'],
    };
    const key = { name: long, prefix: 'iapi_4fT9xQ', permissions, lastUsedAt: new Date(0) };
    await addKey(db, organizationId, key);
    const rows = await rowsOf('key list');
    expect(rows).toHaveLength(2);
    expect(rows[1]).toMatch(
      /^iapi_4fT9xQ {2}A name that .+… {2}A name .+… {2}leads\.write, .+… {2}1970-01-01T00:00:00Z {2}active$/,
    );
  });

  it('reservation, with its unit, lead and cheques', async () => {
    const unitId = await addUnit(db, organizationId, { slug: long.replaceAll(' ', '-') });
    const leadId = await addLead(db, organizationId, { recordSystemId: 'form-1', leadId: 7 });
    const fields = { recordSystemId: 'ERP-1', leadId, updatedAt: new Date(0) };
    const reservationId = await addReservation(db, organizationId, unitId, fields);
    const cheques = [{ installmentId: '1', status: 'collected' }, { installmentId: '2' }];
    await addWallet(db, organizationId, { reservationId, unitId, cheques });
    const other = await addReservation(db, organizationId, unitId, { status: 'approved' });
    const call = `reservation list --org ${organizationId.toHexString()}`;
    const rows = await rowsOf(call);
    expect(rows).toEqual([
      expect.stringMatching(
        new RegExp(`^${other.toHexString()} +- +approved +A-.+…\\S+ +- +- +20`),
      ),
      expect.stringMatching(
        new RegExp(
          `^${reservationId.toHexString()} +ERP-1 +pending_cheque_collection +A-.+…\\S+ +form-1 +1 of 2 +1970-01-01T00:00:00Z$`,
        ),
      ),
    ]);
    const found = async (options: string) =>
      (await cli.json<{ _id: string }[]>(`${call} ${options}`)).map(({ _id }) => _id);
    const id = reservationId.toHexString();
    expect(await found('--lead form-1')).toEqual([id]);
    expect(await found('--lead 7')).toEqual([id]);
    expect(await found('--status approved')).toEqual([other.toHexString()]);
    expect(await found(`--unit ${unitId.toHexString()} --limit 1`)).toEqual([other.toHexString()]);
    expect(await found('--unit none')).toEqual([]);
  });

  it('endpoint, with two commands for any number of endpoints', async () => {
    const now = new Date();
    await db.collection('webhookEndpoints').insertMany(
      range(endpoints).map((number) => ({
        organizationId,
        url: `https://example.com/${long.replaceAll(' ', '/')}/hooks-${number}`,
        eventTypes: ['lead.*', 'client.*', 'reservation.*', 'wallet.*'],
        isEnabled: true,
        disabledReason: null,
        secrets: [],
        failingSince: null,
        pausedUntil: null,
        createdAt: now,
        updatedAt: now,
      })),
    );
    const rows = await rowsOf('webhook list');
    expect(rows).toHaveLength(endpoints);
    expect(rows[0]).toMatch(/^[0-9a-f]{24} {2}https:.+….+hooks-0 {2}lead\.\*.+ unused +0 +0 +-$/);
    const commands = await profileCommands(db, () => cli.text('webhook list'));
    expect(commands.filter(({ ns }) => ns.includes('.webhook'))).toHaveLength(2);
  });
});
