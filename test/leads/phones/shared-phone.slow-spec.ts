import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { conventions, addTenant, addUser, type Tenant } from '../../support/builders.js';
import { profiledCommands } from '../../support/command-plans.js';
import { range } from '../../support/counting.js';
import {
  randomDatabaseUri,
  startTestService,
  type TestService,
} from '../../support/test-service.js';

const phone = '01000000001';
const derived = { phoneKeys: ['+201000000001'], phoneKeysOf: `["EG","${phone}"]` };
/** Enough that reading all of them would show. */
const count = 50_000;

let service: TestService;
let tenant: Tenant;

beforeAll(async () => {
  service = await startTestService({}, randomDatabaseUri());
  tenant = await addTenant(service.db);
  const { organizationId } = tenant;
  const [nour, mona] = [
    await addUser(service.db, organizationId, 'Nour'),
    await addUser(service.db, organizationId, 'Mona'),
  ];
  const updatedAt = new Date();
  const leads = range(count).map((index) => ({
    ...conventions(organizationId),
    leadId: count - index,
    data: { phoneNumber: phone },
    assignedToId: index === count - 2 ? nour : mona,
    ...derived,
    updatedAt,
    phoneKeysAt: updatedAt,
  }));
  // Another program has just changed the phone of the first one.
  Object.assign(leads.at(-1) ?? {}, { data: { phoneNumber: '01000000002' } });
  await service.db.collection('leads').insertMany(leads);
});
afterAll(() => service.stop());

const post = (body: object) => service.api('post', '/leads').set('api-key', tenant.key).send(body);

/** How many leads the commands of some work have read. */
async function leadsRead(work: () => Promise<unknown>): Promise<number> {
  const commands = await profiledCommands(service.db, work);
  const reads = commands.filter(({ ns }) => ns.endsWith('.leads'));
  expect(reads.length).toBeGreaterThan(0);
  return reads.reduce((sum, { docsExamined = 0 }) => sum + Number(docsExamined), 0);
}

it('POST /leads with a phone of 50,000 leads reads few and names the first user', async () => {
  const read = await leadsRead(async () => {
    const { body } = await post({ phoneNumber: '+20 100 000 0001' }).expect(400);
    expect(body.message).toEqual([expect.stringContaining('Nour')]);
  });
  expect(read).toBeLessThan(100);
});

it('a group and a batch with a phone of 50,000 leads read few leads', async () => {
  const phones = range(30).map((index) => (index === 20 ? phone : `0100000${1_000 + index}`));
  const leads = phones.map((phoneNumber) => ({ phoneNumber }));
  const read = await leadsRead(async () => {
    await Promise.all(leads.map((lead) => post(lead)));
    const { body } = await service
      .api('post', '/leads/batch')
      .set('api-key', tenant.key)
      .send({ leads, dryRun: true })
      .expect(200);
    expect(body.results[20].message).toEqual([expect.stringContaining('Nour')]);
  });
  expect(read).toBeLessThan(1_000);
});
