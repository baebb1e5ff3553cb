import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ErasuresService } from '../../../operator/erasure/erasures.service.js';
import { OrganizationsRepository } from '../../../tenants/organizations/organizations.repository.js';
import type { DemoRequest, Step } from '../client/demo-client.js';
import type { Chapter, DemoRun } from './chapter.js';

const recordSystemId = 'website-form-1';
const contact = {
  name: 'Mona El Sayed',
  email: 'mona@example.com',
  phoneNumber: '01001234500',
  project: 'Palm Meadows',
};
const data = { leadSource: 'website', budget: 5_000_000 };
const additionalData = { utm_source: 'newsletter' };
const details = {
  data: { budget: 6_500_000, preferredVisit: 'Friday morning' },
  additionalData: { utm_campaign: 'spring-launch' },
};
const createdLead = {
  recordSystemId,
  data: { ...contact, ...data },
  additionalData,
  isDeleted: false,
};
const mergedLead = {
  recordSystemId,
  data: { ...contact, ...data, ...details.data },
  additionalData: { ...additionalData, ...details.additionalData },
};
const leadWithKnownPhone = {
  recordSystemId: 'second-form-1',
  name: 'Mona Elsayed',
  phoneNumber: '+20 100 123 4500',
};
const leadInArabic = {
  name: 'يوسف عبد الله',
  phoneNumber: '٠١٠٠١٢٣٤٥٠١',
  project: 'بستان الزيتون',
};
const withoutKey = { method: 'POST', path: 'leads', body: { name: 'Omar Nasser' } } as const;
const invalidEmail = 'omar@example';

/** A lead from creation to deletion, as a partner's website sees it. */
export const leadChapters: readonly Chapter[] = [
  {
    title: 'The health of the service needs no key',
    steps: [get('healthz', 200, { ok: true, version: 'v1.0' }, { key: null })],
  },
  {
    title: 'Without a key, or with a wrong one, every other request gets a 401',
    steps: [
      {
        request: { ...withoutKey, key: null },
        expected: { status: 401, body: { message: 'Access Denied, API key not provided' } },
      },
      {
        request: { ...withoutKey, key: 'no-such-key' },
        expected: { status: 401, body: { message: 'Access Denied, API key not valid' } },
      },
    ],
  },
  {
    title: 'A visitor fills in the form of a website',
    steps: [
      {
        ...post({ recordSystemId, ...contact, data, additionalData }, 201, {
          ok: true,
          operation: 'create',
          lead: createdLead,
          newLead: createdLead,
        }),
        captured: { compound: 'body.lead.compoundsIds.0' },
      },
    ],
  },
  {
    title: 'The visitor adds something: what was sent before stays',
    steps: [
      post({ recordSystemId, ...details }, 200, {
        ok: true,
        operation: 'update',
        lead: mergedLead,
      }),
    ],
  },
  {
    title: 'A phone of another lead is rejected, in any spelling',
    steps: [
      post(leadWithKnownPhone, 400, {
        message: [
          'Duplicate Lead: Existing Lead (+20 100 123 4500) exists. and is not assigned to anyone.',
        ],
      }),
    ],
  },
  {
    title: 'The same error in Arabic',
    steps: [
      post(
        leadWithKnownPhone,
        400,
        { message: ['عميل محتمل مكرر: يوجد عميل محتمل (+20 100 123 4500) غير مسند إلى أحد.'] },
        { language: 'ar-eg' },
      ),
    ],
  },
  {
    title: 'A project named in Arabic links its compound',
    steps: [
      {
        ...post(
          { recordSystemId: 'landing-page-1', ...leadInArabic },
          201,
          { operation: 'create', lead: { data: leadInArabic } },
          { language: 'ar-eg' },
        ),
        captured: { compound: 'body.lead.compoundsIds.0' },
      },
    ],
  },
  {
    title: 'The website reads its lead back',
    steps: [get(`leads/${recordSystemId}`, 200, { ok: true, lead: mergedLead })],
  },
  { title: 'The payloads of lead sources are stored as they come', steps: [sendFromSources] },
  {
    title: 'What was gathered offline comes in one batch',
    steps: [batch(true, { leadId: null }), batch(false, { recordSystemId: 'website-form-3' })],
  },
  {
    title: 'An invalid email is rejected',
    steps: [
      post({ recordSystemId: 'typo-1', name: 'Omar Nasser', email: invalidEmail }, 400, {
        message: ['email must be an email'],
        error: 'Bad Request',
      }),
    ],
  },
  {
    title: 'The lead is deleted',
    steps: [
      {
        request: { method: 'DELETE', path: `leads/${recordSystemId}` },
        expected: { status: 200, body: { ok: true, operation: 'delete', lead: mergedLead } },
      },
      get(`leads/${recordSystemId}`, 404, { message: 'Lead not found', error: 'Not Found' }),
    ],
  },
  {
    title: 'The visitor wishes to be forgotten: the operator erases the lead',
    steps: [eraseLead],
  },
];

function get(path: string, status: number, body: object, more: Partial<DemoRequest> = {}): Step {
  return { request: { method: 'GET', path, ...more }, expected: { status, body } };
}

function post(lead: object, status: number, body: object, more: Partial<DemoRequest> = {}): Step {
  const request = { method: 'POST', path: 'leads', body: lead, ...more } as const;
  return { request, expected: { status, body } };
}

function batch(dryRun: boolean, lead: object): Step {
  const leads = [
    { recordSystemId: 'website-form-3', name: 'Salma Nabil' },
    { recordSystemId: 'website-form-2', email: invalidEmail },
  ];
  const refused = { index: 1, statusCode: 400, errorCode: 'validation.failed' };
  const results = [{ index: 0, statusCode: 201, lead }, refused];
  return {
    request: { method: 'POST', path: 'leads/batch', body: { leads, dryRun } },
    expected: { status: 200, body: { ok: false, created: 1, refused: 1, results } },
  };
}

/** One lead of each source that partners connect, in the shape in which that source sends it. */
async function sendFromSources({ client, print }: DemoRun): Promise<void> {
  const lines = readFileSync(join(import.meta.dirname, '../lead-sources.ndjson'), 'utf8');
  print('');
  for (const line of lines.trimEnd().split('\n')) {
    const { source, body } = JSON.parse(line) as { source: string; body: object };
    const step = post(body, 201, { operation: 'create', lead: body });
    const response = await client.run({ ...step, isSilent: true });
    const { lead } = response.body as { lead: { leadId: number } };
    print(`  ${source.padEnd(20)} ${response.status} created, lead number ${lead.leadId}`);
  }
}

/** As the command `lead erase` does. */
async function eraseLead({ app, organizationId, print }: DemoRun): Promise<void> {
  const erasures = app.get(ErasuresService);
  const organization = await app.get(OrganizationsRepository).find(organizationId);
  if (organization === null) throw new Error('The organization of the demo is gone.');
  const erase = async () => {
    const leadIds = await erasures.leadsOf(organization, recordSystemId);
    const { counts } = await erasures.erase(organization, leadIds);
    return Object.entries(counts).filter(([, count]) => count > 0);
  };
  print('');
  print(`  lead erase --lead ${recordSystemId}`);
  for (const [kind, count] of await erase()) print(`  ${kind.padEnd(20)} ${count}`);
  const left = await erase();
  if (left.length > 0) throw new Error(`The erasure has left something: ${JSON.stringify(left)}`);
}
