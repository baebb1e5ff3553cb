import type { DemoRequest } from '../client/demo-client.js';
import { demoPhone } from './demo-phone.js';
import { demoLeadSources } from './lead-sources.js';
import type { Chapter, DemoRun } from './demo-run.js';

/** A lead from creation to deletion, as a partner's website sees it. */
export const leadChapters: readonly Chapter[] = [
  { title: 'A visitor fills in the form of a website', execute: createLead },
  { title: 'The visitor adds something: what was sent before stays', execute: updateLead },
  { title: 'A phone of another lead is rejected, in any spelling', execute: repeatPhone },
  { title: 'The same error in Arabic', execute: repeatPhoneInArabic },
  { title: 'A project named in Arabic links its compound', execute: nameProjectInArabic },
  { title: 'The website reads its lead back', execute: readLead },
  { title: 'The payloads of lead sources are stored as they come', execute: sendFromSources },
  { title: 'What was gathered offline comes in one batch', execute: sendBatch },
  { title: 'An invalid email is rejected', execute: sendWrongEmail },
  { title: 'The lead is deleted', execute: deleteLead },
  { title: 'The visitor wishes to be forgotten: the operator erases the lead', execute: eraseLead },
];

const objectId = /^[0-9a-f]{24}$/;

/** What the website sends first, flat fields and `data` mixed. */
const websiteLead = {
  recordSystemId: 'website-form-1',
  name: 'Mona El Sayed',
  email: 'mona@example.com',
  phoneNumber: demoPhone(0).national,
  project: 'Palm Meadows',
  data: { leadSource: 'website', budget: 5_000_000 },
  additionalData: { utm_source: 'newsletter' },
};
const details = {
  data: { budget: 6_500_000, preferredVisit: 'Friday morning' },
  additionalData: { utm_campaign: 'spring-launch' },
};
const mergedLead = leadAfterUpdate();
const leadWithKnownPhone = {
  recordSystemId: 'second-form-1',
  name: 'Mona Elsayed',
  phoneNumber: demoPhone(0).spaced,
};
const path = `leads/${websiteLead.recordSystemId}`;

async function createLead(run: DemoRun): Promise<void> {
  const { recordSystemId, data, additionalData, ...flat } = websiteLead;
  const lead = {
    recordSystemId,
    compoundsIds: [objectId],
    data: { ...flat, ...data },
    additionalData,
    isDeleted: false,
  };
  await run.client.show(post(websiteLead), {
    status: 201,
    body: { ok: true, operation: 'create', lead, newLead: lead },
  });
}

async function updateLead(run: DemoRun): Promise<void> {
  const { recordSystemId } = websiteLead;
  await run.client.show(post({ recordSystemId, ...details }), {
    status: 200,
    body: { ok: true, operation: 'update', lead: mergedLead },
  });
}

async function repeatPhone(run: DemoRun): Promise<void> {
  const message =
    `Duplicate Lead: Existing Lead (${leadWithKnownPhone.phoneNumber}) exists. ` +
    'and is not assigned to anyone.';
  await run.client.show(post(leadWithKnownPhone), { status: 400, body: { message: [message] } });
}

async function repeatPhoneInArabic(run: DemoRun): Promise<void> {
  const request = { ...post(leadWithKnownPhone), language: 'ar-eg' } as const;
  const message = [/^عميل محتمل مكرر/];
  await run.client.show(request, { status: 400, body: { message } });
}

async function nameProjectInArabic(run: DemoRun): Promise<void> {
  const body = {
    recordSystemId: 'landing-page-1',
    name: 'يوسف عبد الله',
    phoneNumber: demoPhone(1).arabic,
    project: 'بستان الزيتون',
  };
  const { recordSystemId, ...data } = body;
  await run.client.show(
    { ...post(body), language: 'ar-eg' },
    {
      status: 201,
      body: { operation: 'create', lead: { recordSystemId, data, compoundsIds: [objectId] } },
    },
  );
}

async function readLead(run: DemoRun): Promise<void> {
  await run.client.show(
    { method: 'GET', path },
    { status: 200, body: { ok: true, lead: mergedLead } },
  );
}

async function sendFromSources(run: DemoRun): Promise<void> {
  run.print('');
  for (const { source, body } of demoLeadSources()) {
    const response = await run.client.ask(post(body), {
      status: 201,
      body: { operation: 'create', lead: body },
    });
    const { lead } = response.body as { lead: { leadId: number } };
    run.print(`  ${source.padEnd(20)} ${response.status} created, lead number ${lead.leadId}`);
  }
}

async function sendBatch(run: DemoRun): Promise<void> {
  const wrong = { recordSystemId: 'website-form-2', email: 'omar@example' };
  const leads = [{ recordSystemId: 'website-form-3', name: 'Salma Nabil' }, wrong];
  const refused = { index: 1, statusCode: 400, errorCode: 'validation.failed' };
  const ask = (dryRun: boolean, lead: object) =>
    run.client.show(
      { method: 'POST', path: 'leads/batch', body: { leads, dryRun } },
      {
        status: 200,
        body: {
          ok: false,
          created: 1,
          refused: 1,
          results: [{ index: 0, statusCode: 201, lead }, refused],
        },
      },
    );
  await ask(true, { leadId: null });
  await ask(false, { recordSystemId: 'website-form-3' });
}

async function sendWrongEmail(run: DemoRun): Promise<void> {
  const body = { recordSystemId: 'typo-1', name: 'Omar Nasser', email: 'omar@example' };
  await run.client.show(post(body), {
    status: 400,
    body: { message: ['email must be an email'], error: 'Bad Request' },
  });
}

async function deleteLead(run: DemoRun): Promise<void> {
  await run.client.show(
    { method: 'DELETE', path },
    { status: 200, body: { ok: true, operation: 'delete', lead: mergedLead } },
  );
  await run.client.show(
    { method: 'GET', path },
    { status: 404, body: { statusCode: 404, message: 'Lead not found', error: 'Not Found' } },
  );
}

async function eraseLead(run: DemoRun): Promise<void> {
  const { recordSystemId } = websiteLead;
  run.print('');
  run.print(`  lead erase --lead ${recordSystemId}`);
  for (const [kind, count] of Object.entries(await run.forget(recordSystemId))) {
    if (count > 0) run.print(`  ${kind.padEnd(20)} ${count}`);
  }
  const again = await run.forget(recordSystemId);
  const left = Object.values(again).reduce((sum, count) => sum + count, 0);
  if (left > 0) throw new Error(`The erasure has left something: ${JSON.stringify(again)}`);
}

function leadAfterUpdate() {
  const { recordSystemId, data, additionalData, ...flat } = websiteLead;
  return {
    recordSystemId,
    data: { ...flat, ...data, ...details.data },
    additionalData: { ...additionalData, ...details.additionalData },
    compoundsIds: [objectId],
  };
}

function post(body: object): DemoRequest {
  return { method: 'POST', path: 'leads', body };
}
