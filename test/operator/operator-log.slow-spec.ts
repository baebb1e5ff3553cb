import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { startConsole, type TestConsole } from '../console/console-client.js';
import { addLead } from '../support/builders.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { type Session, startSession } from './command-line.js';

let service: TestConsole;
let cli: Session;
/** The ids that replace the placeholders in commands and entries. */
const ids = new Map<string, string>();

beforeAll(async () => {
  service = await startConsole({}, randomDatabaseUri());
  cli = startSession({ MONGODB_URI: service.databaseUri });
  const tenant = await service.addTenant();
  const data = { name: 'Mona Adel', phoneNumber: '01001234599' };
  ids.set('ORG', tenant.organizationId.toHexString());
  ids.set('LEAD', (await tenant.add(addLead, { data })).toHexString());
  const { insertedId } = await service.db.collection('webhookDeliveries').insertOne({
    organizationId: tenant.organizationId,
    endpointId: new ObjectId(),
    eventId: new ObjectId(),
    type: 'lead.created',
    objectId: null,
    status: 'delivered',
    bytes: 1,
    round: 1,
    attempts: 1,
    nextAttemptAt: new Date(),
    log: [],
    createdAt: new Date(),
    updatedAt: new Date(),
  });
  ids.set('DELIVERY', insertedId.toHexString());
});
afterAll(() => service.stop());

const run = (call: string) =>
  cli.run([...ids].reduce((line, [name, id]) => line.replaceAll(name, id), call));

/** Removes the entries of the log and returns them, oldest first. */
async function takeLogEntries(): Promise<string[]> {
  const log = service.db.collection('operatorLog');
  const entries = await log.find().sort({ _id: 1 }).toArray();
  await log.deleteMany({});
  return entries.map(({ action, subject, subjectId, details, result, count, ...entry }) => {
    expect(entry).toMatchObject({ address: 'command line', session: expect.stringContaining('@') });
    const owner = entry['organizationId'].toHexString();
    if (action === 'create') expect(owner).toBe(subjectId);
    else expect(owner).toBe(subject === 'database' ? '0'.repeat(24) : ids.get('ORG'));
    const parts = [action, subject, subjectId, details, result, count];
    const line = parts.filter((part) => part !== null).join(' ');
    return [...ids].reduce((text, [name, id]) => text.replaceAll(id, name), line);
  });
}

/** The command, the placeholder for the id of the record that it creates, and the entry. */
it.each([
  ['org create --name Delta --json', 'NEW', 'create organization NEW done'],
  ['org sandbox --name Try --json', 'TRY', 'create organization TRY sandbox done'],
  ['key issue --org ORG --name Site --for crm --json', 'KEY', 'issue organization ORG Site done'],
  [
    'webhook add --org ORG --url https://receiver.example/ --events * --json',
    'ENDPOINT',
    'add organization ORG done',
  ],
])('the command `%s` is logged with the id of the created record', async (call, name, entry) => {
  const { stdout } = await run(call);
  ids.set(name, (JSON.parse(stdout) as { _id: string })._id);
  expect(await takeLogEntries()).toEqual([entry]);
});

it.each([
  ['lead show LEAD --org ORG', 'show lead LEAD done'],
  ['lead history LEAD --org ORG', 'show lead LEAD done'],
  ['lead erase --lead LEAD --org ORG --dry-run', 'show lead LEAD done'],
  // Without a terminal the command declines to erase the listed person.
  ['lead erase --phone 01001234599 --org ORG', 'show lead LEAD done'],
  ['key limit KEY --rps 5', 'limit key KEY done'],
  ['key rotate KEY', 'rotate key KEY done'],
  ['key revoke KEY', 'revoke key KEY done'],
  ['webhook disable ENDPOINT', 'disable endpoint ENDPOINT done'],
  ['webhook enable ENDPOINT', 'enable endpoint ENDPOINT done'],
  ['webhook update ENDPOINT --events lead.created', 'update endpoint ENDPOINT done'],
  ['webhook update ENDPOINT --url https://10.0.0.1/', 'update endpoint ENDPOINT failed'],
  ['webhook rotate-secret ENDPOINT', 'rotate endpoint ENDPOINT done'],
  ['webhook test ENDPOINT', 'test endpoint ENDPOINT done'],
  [
    'webhook replay ENDPOINT --failed --since 2030-01-31',
    'replay endpoint ENDPOINT failed since 2030-01-31T00:00:00.000Z done 0',
  ],
  ['webhook deliveries DELIVERY', 'show delivery DELIVERY done'],
  ['webhook remove ENDPOINT', 'remove endpoint ENDPOINT done'],
  ['org update ORG --name Towers', 'update organization ORG name done'],
  ['org reset --org ORG', 'reset organization ORG failed'],
  ['lead erase --lead LEAD --org ORG', 'erase lead LEAD done'],
  ['webhook reseal', 'reseal database database done'],
  ['db init', 'prepare database database done'],
  ['db erasures', 'show database database erasures done'],
  ['db reapply-erasures', 'erase database database erasures done'],
])('the command `%s` is logged as `%s`', async (call, entry) => {
  await run(call);
  expect(await takeLogEntries()).toEqual([entry]);
});

it('the console shows commands in its log', async () => {
  await run('webhook reseal');
  await run('key limit KEY --rps 5');
  const { html } = await service.get('/log');
  expect(html).toMatch(/>limit changed<.*>key<.*command line.*>secrets resealed<.*>database</s);
  expect(html).toContain(`/console/partners/${ids.get('KEY')}"`);
  expect(html).not.toContain('0'.repeat(24));
});

it('a command that cannot be logged is refused', async () => {
  const validator = { action: 'none' };
  await service.db.command({ collMod: 'operatorLog', validator, validationLevel: 'strict' });
  expect(await run('lead show LEAD --org ORG')).toMatchObject({ code: 1, stdout: '' });
});
