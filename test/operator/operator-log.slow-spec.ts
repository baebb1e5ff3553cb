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
    if (['organization.create', 'sandbox.create'].includes(action)) expect(owner).toBe(subjectId);
    else expect(owner).toBe(subject === 'database' ? '0'.repeat(24) : ids.get('ORG'));
    const parts = [action, subject, subjectId, details, result, count];
    const line = parts.filter((part) => part !== null).join(' ');
    return [...ids].reduce((text, [name, id]) => text.replaceAll(id, name), line);
  });
}

/** The command, the placeholder for the id of the record that it creates, and the entry. */
it.each([
  ['org create --name Delta --json', 'NEW', 'organization.create organization NEW done'],
  ['org sandbox --name Try --json', 'TRY', 'sandbox.create organization TRY done'],
  [
    'key issue --org ORG --name Site --for crm --json',
    'KEY',
    'key.issue organization ORG Site done',
  ],
  [
    'webhook add --org ORG --url https://receiver.example/ --events * --json',
    'ENDPOINT',
    'endpoint.add organization ORG done',
  ],
])('the command `%s` is logged with the id of the created record', async (call, name, entry) => {
  const { stdout } = await run(call);
  ids.set(name, (JSON.parse(stdout) as { _id: string })._id);
  expect(await takeLogEntries()).toEqual([entry]);
});

it.each([
  ['lead show LEAD --org ORG', 'lead.show lead LEAD done'],
  ['lead history LEAD --org ORG', 'lead.show lead LEAD done'],
  ['lead erase --lead LEAD --org ORG --dry-run', 'lead.show lead LEAD done'],
  // Without a terminal the command declines to erase the listed person.
  ['lead erase --phone 01001234599 --org ORG', 'lead.show lead LEAD done'],
  ['key limit KEY --rps 5', 'key.limit key KEY done'],
  ['key rotate KEY', 'key.rotate key KEY done'],
  ['key revoke KEY', 'key.revoke key KEY done'],
  ['webhook disable ENDPOINT', 'endpoint.disable endpoint ENDPOINT done'],
  ['webhook enable ENDPOINT', 'endpoint.enable endpoint ENDPOINT done'],
  ['webhook update ENDPOINT --events lead.created', 'endpoint.update endpoint ENDPOINT done'],
  ['webhook update ENDPOINT --url https://10.0.0.1/', 'endpoint.update endpoint ENDPOINT failed'],
  ['webhook rotate-secret ENDPOINT', 'endpoint.rotate_secret endpoint ENDPOINT done'],
  ['webhook test ENDPOINT', 'endpoint.test endpoint ENDPOINT done'],
  [
    'webhook replay ENDPOINT --failed --since 2030-01-31',
    'endpoint.replay endpoint ENDPOINT failed since 2030-01-31T00:00:00.000Z done 0',
  ],
  ['webhook deliveries DELIVERY', 'delivery.show delivery DELIVERY done'],
  ['webhook remove ENDPOINT', 'endpoint.remove endpoint ENDPOINT done'],
  ['org update ORG --name Towers', 'organization.update organization ORG name done'],
  ['org reset --org ORG', 'sandbox.reset organization ORG failed'],
  ['lead erase --lead LEAD --org ORG', 'lead.erase lead LEAD done'],
  ['webhook reseal', 'secrets.reseal database database done'],
  ['db init', 'database.prepare database database done'],
  ['db erasures', 'erasures.show database database done'],
  ['db reapply-erasures', 'erasures.reapply database database done'],
])('the command `%s` is logged as `%s`', async (call, entry) => {
  await run(call);
  expect(await takeLogEntries()).toEqual([entry]);
});

it('the console shows commands in its log', async () => {
  await run('webhook reseal');
  await run('key limit KEY --rps 5');
  const { html } = await service.get('/log');
  expect(html).toMatch(
    />rate limit changed<.*>key<.*command line.*>secrets resealed<.*>database</s,
  );
  expect(html).toContain(`/console/partners/${ids.get('KEY')}"`);
  expect(html).not.toContain('0'.repeat(24));
});

it('the console shows entries of earlier versions, whose action is a verb alone', async () => {
  await run('webhook reseal');
  const log = service.db.collection('operatorLog');
  await log.updateOne({ action: 'secrets.reseal' }, { $set: { action: 'reseal' } });
  const { html } = await service.get('/log');
  expect(html).toMatch(/>reseal<.*>database</s);
});

it('a command that cannot be logged is refused', async () => {
  const validator = { action: 'none' };
  await service.db.command({ collMod: 'operatorLog', validator, validationLevel: 'strict' });
  expect(await run('lead show LEAD --org ORG')).toMatchObject({ code: 1, stdout: '' });
});
