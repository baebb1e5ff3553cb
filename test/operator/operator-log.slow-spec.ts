import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { startConsole, type TestConsole } from '../console/console-client.js';
import { addLead, addTenant } from '../support/builders.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { runCli, type Session, startSession } from './command-line.js';

let service: TestConsole;
let cli: Session;
let org: string;
let lead: string;
beforeAll(async () => {
  service = await startConsole({ WEBHOOKS_ALLOW_HTTP: 'true' }, randomDatabaseUri());
  cli = startSession({ MONGODB_URI: service.databaseUri, WEBHOOKS_ALLOW_HTTP: 'true' });
  const { organizationId } = await addTenant(service.db);
  org = organizationId.toHexString();
  const data = { name: 'Mona Adel', phoneNumbers: ['+201001234567'] };
  lead = (await addLead(service.db, organizationId, { data })).toHexString();
});
afterAll(() => service.stop());

/** New entries since the last call, oldest first. */
const logged = async () => {
  const log = service.db.collection('operatorLog');
  const entries = await log.find().sort({ _id: 1 }).toArray();
  await log.deleteMany({});
  return entries.map((entry) => {
    expect(entry).toMatchObject({ address: 'command line', session: expect.stringContaining('@') });
    const id = entry['organizationId'].toHexString();
    expect(id).toBe(entry['subject'] === 'database' ? '0'.repeat(24) : org);
    const { action, subject, subjectId, details, result, count } = entry;
    return [action, subject, subjectId, details, result, count];
  });
};
const add = (url: string) =>
  cli.json<{ _id: string }>(`webhook add --org ${org} --url ${url} --events *`);

it('every command that shows a person is logged', async () => {
  const { code } = await cli.run(`lead show ${lead} --org ${org}`);
  expect(code).toBe(0);
  await cli.run(`lead history ${lead} --org ${org}`);
  await cli.run(`lead erase --lead ${lead} --org ${org} --dry-run`);
  const shown = ['show', 'lead', lead, null, 'done', null];
  expect(await logged()).toEqual([shown, shown, shown]);
});

it('every command that changes a record of an organization is logged', async () => {
  const key = await cli.json<{ _id: string }>(
    `key issue --org ${org} --name Website --for website`,
  );
  await cli.run(`key limit ${key._id} --rps 5`);
  await cli.run(`key rotate ${key._id}`);
  await cli.run(`key revoke ${key._id}`);
  const endpoint = await add('https://receiver.example/hooks');
  await cli.run(`webhook disable ${endpoint._id}`);
  await cli.run(`webhook enable ${endpoint._id}`);
  await cli.run(`webhook update ${endpoint._id} --events lead.created`);
  await cli.run(`webhook rotate-secret ${endpoint._id}`);
  await cli.run(`webhook replay ${endpoint._id} --failed --since 2030-01-31`);
  await cli.run(`webhook remove ${endpoint._id}`);
  await cli.run(`org update ${org} --name`, 'Nile Towers');
  await cli.run(`lead erase --lead ${lead} --org ${org}`);
  expect(await logged()).toEqual([
    ['issue', 'organization', org, 'Website', 'done', null],
    ['limit', 'key', key._id, null, 'done', null],
    ['rotate', 'key', key._id, null, 'done', null],
    ['revoke', 'key', key._id, null, 'done', null],
    ['add', 'organization', org, null, 'done', null],
    ['disable', 'endpoint', endpoint._id, null, 'done', null],
    ['enable', 'endpoint', endpoint._id, null, 'done', null],
    ['update', 'endpoint', endpoint._id, null, 'done', null],
    ['rotate', 'endpoint', endpoint._id, null, 'done', null],
    ['replay', 'endpoint', endpoint._id, 'failed since 2030-01-31T00:00:00.000Z', 'done', 0],
    ['remove', 'endpoint', endpoint._id, null, 'done', null],
    ['update', 'organization', org, 'name', 'done', null],
    ['erase', 'lead', lead, null, 'done', null],
  ]);
});

it('the list of a person is logged when the erasure is declined', async () => {
  const created = await addLead(service.db, new ObjectId(org), {
    data: { name: 'Mona', phoneNumber: '01001234599' },
  });
  const call = `lead erase --org ${org} --phone 01001234599`;
  const { code, stdout } = await cli.run(call);
  expect([code, stdout]).toEqual([1, expect.stringContaining('Mona')]);
  expect(await logged()).toEqual([['show', 'lead', created.toHexString(), null, 'done', null]]);
});

it('every command about the whole database, and a new organization, is logged', async () => {
  await cli.run('webhook reseal');
  await cli.run('db init');
  await cli.run('db erasures');
  await cli.run('db reapply-erasures');
  const page = (await service.get('/log')).html;
  for (const text of ['secrets sealed again', 'prepared', 'database']) expect(page).toContain(text);
  expect(page).not.toContain('0'.repeat(24));
  expect(await logged()).toEqual([
    ['reseal', 'database', 'database', null, 'done', null],
    ['prepare', 'database', 'database', null, 'done', null],
    ['show', 'database', 'database', 'erasures', 'done', null],
    ['erase', 'database', 'database', 'erasures', 'done', null],
  ]);
  const { _id } = await cli.json<{ _id: string }>('org create --name', 'Delta Homes');
  const [entry] = await service.db.collection('operatorLog').find().toArray();
  expect(entry).toMatchObject({ action: 'create', subject: 'organization', subjectId: _id });
  await service.db.collection('operatorLog').deleteMany({});
});

it('a failed command is logged and shown in the console', async () => {
  const endpoint = await add('https://receiver.example/hooks');
  const { code } = await cli.run(`webhook test ${endpoint._id}`);
  expect(code).toBe(1);
  const refused = await cli.run(`webhook update ${endpoint._id} --url https://10.0.0.1/`);
  expect(refused).toMatchObject({ code: 1 });
  const { html } = await service.get('/log');
  expect(html).toMatch(/>tested<.*>endpoint added</s);
  expect(html).toContain('command line');
  expect(html).toContain(`/console/webhooks/${endpoint._id}"`);
  expect(await logged()).toMatchObject([
    ['add', 'organization', org, null, 'done', null],
    ['test', 'endpoint', endpoint._id, null, 'done', null],
    ['update', 'endpoint', endpoint._id, null, 'failed', null],
  ]);
});

it('a command that cannot be logged is rejected', async () => {
  await service.db.command({
    collMod: 'operatorLog',
    validator: { action: 'none' },
    validationLevel: 'strict',
  });
  const { code, stdout } = await runCli(['lead', 'show', lead, '--org', org], {
    MONGODB_URI: service.databaseUri,
  });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
});
