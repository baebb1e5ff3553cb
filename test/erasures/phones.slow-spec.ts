import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { digitsOf } from '../../src/tenants/contacts/phone-reading.js';
import { runCli, runJson } from '../operator/command-line.js';
import { addClient, addLead, conventions } from '../support/builders.js';
import { profileCommands } from '../support/command-plans.js';
import { range } from '../support/counting.js';
import { isOtherNumber, spellingOf, validNumber } from '../support/phone-spellings.js';
import { rounds } from '../support/rounds.js';
import type { TenantApi } from '../support/tenant-api.js';
import { startWebhookService, type WebhookService } from '../webhooks/webhook-service.js';
import { collectionNames } from './personal-data.js';

let service: WebhookService;

beforeAll(async () => {
  service = await startWebhookService();
});
afterAll(() => service.stop());

const argsOf = ({ organizationId }: TenantApi, phone: string) => {
  const org = organizationId.toHexString();
  return ['lead', 'erase', '--org', org, `--phone=${phone}`, '--yes'];
};

/** Returns collections with documents that contain the digits of the number without its country code. */
async function holding(tenant: TenantApi, national: string): Promise<string[]> {
  const found: string[] = [];
  for (const collection of await collectionNames(service.db)) {
    const documents = await tenant.stored(collection);
    const holds = documents.some((document) =>
      digitsOf(JSON.stringify(document)).includes(national),
    );
    if (holds) found.push(collection);
  }
  return found;
}

describe('lead erase --phone', () => {
  it('leaves no digits of the number in any collection, in whatever spelling it stands and is named', async () => {
    const spelled = validNumber
      .filter(({ number }) => number.length >= 11)
      .chain((number) =>
        fc.tuple(fc.constant(number), fc.array(spellingOf(number), { minLength: 6, maxLength: 6 })),
      );
    await fc.assert(
      fc.asyncProperty(spelled, async ([number, texts]) => {
        fc.pre(texts.every((text) => !isOtherNumber(text, number)));
        const [named = '', first, second, third, fourth, fifth = ''] = texts;
        const settings = { phoneCountry: number.country, allowConflictLeads: true };
        const tenant = await service.addTenant({ settings });
        const national = number.number.slice(number.country === 'EG' ? 3 : 4);
        await tenant.post('/leads', { data: { phoneNumber: first, name: number.number } });
        await tenant.post('/leads', { recordSystemId: 'a', data: { phoneNumber2: second } });
        await tenant.post('/leads', { recordSystemId: 'a', data: { phoneNumber2: third } });
        await tenant.delete('/leads/a').expect(200);
        await tenant.add(addLead, { data: { phoneNumber: fourth, note: number.number } });
        const clientId = await tenant.add(addClient, { phoneNumbers: [fifth, 'Mona'] });
        await tenant.add(addLead, { clientId, data: { name: 'Mona' } });
        await tenant.post('/leads', { phoneNumber: '01999999999', name: 'Someone else' });
        expect(await holding(tenant, national)).toEqual(
          expect.arrayContaining(['clients', 'leads']),
        );
        const erased = await runJson<{ leadIds: string[] }>(argsOf(tenant, named), {
          MONGODB_URI: service.databaseUri,
        });
        expect(erased.leadIds).toHaveLength(4);
        expect(await holding(tenant, national)).toEqual([]);
        expect(await tenant.count('leads', { erasedAt: null })).toBe(1);
      }),
      { numRuns: rounds(8, 60), endOnFailure: true },
    );
  });

  it('stops reading leads when more than a thousand match', async () => {
    const tenant = await service.addTenant();
    const data = { phoneNumber: '01028251223' };
    const leads = range(4_000).map((leadId) => ({
      ...conventions(tenant.organizationId),
      leadId,
      data,
    }));
    await service.db.collection('leads').insertMany(leads);
    const commands = await profileCommands(service.db, async () => {
      const { code, stderr } = await runCli(argsOf(tenant, '+20\u200e10 28251223'), {
        MONGODB_URI: service.databaseUri,
      });
      expect([code, stderr]).toEqual([1, expect.stringContaining('More than 1000 leads')]);
    });
    // The background job reads the same leads by their ids, and by a list of organizations.
    const reads = commands.filter(({ ns, command, originatingCommand = command }) => {
      const { organizationId } = originatingCommand.filter ?? {};
      return ns.endsWith('.leads') && String(organizationId) === String(tenant.organizationId);
    });
    const returned = reads.reduce((sum, { nreturned = 0 }) => sum + Number(nreturned), 0);
    expect(returned).toBeGreaterThan(1_000);
    expect(returned).toBeLessThan(1_500);
  });
});
