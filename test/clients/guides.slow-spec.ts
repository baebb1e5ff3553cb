import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { type Document, ObjectId } from 'mongodb';
import { Webhook } from 'standardwebhooks';
import type { LeadDto, Operations, UnitDto } from '../../clients/typescript/src/index.js';
import { runCli } from '../operator/command-line.js';
import { apiClient } from '../support/api-client.js';
import { addKey, addTenant } from '../support/builders.js';
import { addDemoTenant, type DemoTenant } from '../support/demo-tenant.js';
import { type Received, type Receiver, type Respond, startReceiver } from '../support/receiver.js';
import { rounds } from '../support/rounds.js';
import { sharedService } from '../support/shared-service.js';
import { randomDatabaseUri, startTestService, type TestService } from '../support/test-service.js';
import { numberEvents } from './support/numbered-events.js';
import { canRun, runProgram as runWith, startProgram as startWith } from './support/programs.js';
import { firstRequest } from '../../src/development/startup-banner.js';
import type { KeyPurpose } from '../../src/tenants/keys/operations.js';

const service = sharedService();
const folder = mkdtempSync(join(tmpdir(), 'guides-'));
let tenant: DemoTenant;
let api: Operations;
/** Proxy in front of the service that lets tests drop responses. */
let gateway: Receiver;
let variables: Record<string, string>;

function purposeOf(program: string): KeyPurpose {
  if (/website|send-waiting/.test(program)) return 'website';
  return /collector|reconcile|due/.test(program) ? 'collector' : 'crm';
}

const withOwnKey = (program: string, own: Record<string, string>) =>
  own['API_KEY'] === tenant.key ? { ...own, API_KEY: tenant.keys[purposeOf(program)] } : own;

const runProgram: typeof runWith = (program, args, own, input) =>
  runWith(program, args, withOwnKey(program, own), input);

const startProgram: typeof startWith = (program, own) =>
  startWith(program, withOwnKey(program, own));

/** Hop-by-hop headers, which are invalid in a forwarded response. */
const hopHeader = /^(content-(length|encoding)|transfer-encoding|connection|keep-alive)$/;

const forward: Respond = (received, response) => {
  void fetchFromService(received).then((result) => {
    const kept = [...result.headers].filter(([name]) => !hopHeader.test(name));
    return response.writeHead(result.status, Object.fromEntries(kept)).end(result.bytes);
  });
};

const fetchFromService = async ({ method, path, headers, body }: Received) => {
  const init = { method, headers: forwardedHeaders(headers), ...(body === '' ? {} : { body }) };
  const result = await fetch(`${service.url}${path}`, init);
  const bytes = Buffer.from(await result.arrayBuffer());
  return { status: result.status, headers: result.headers, bytes };
};

const forwardedNames =
  'api-key content-type language idempotency-key if-none-match webhook-id webhook-timestamp webhook-signature'.split(
    ' ',
  );

const forwardedHeaders = (headers: Record<string, string>) =>
  Object.fromEntries(
    forwardedNames
      .filter((name) => headers[name] !== undefined)
      .map((name) => [name, headers[name] ?? '']),
  );

beforeAll(async () => {
  tenant = await addDemoTenant(service.db, service.databaseUri);
  api = apiClient(service.url, tenant.key);
  gateway = await startReceiver(forward);
  variables = { API_URL: new URL(gateway.url).origin, API_KEY: tenant.key };
});
afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

/**
 * Responds to the next requests with these statuses; 0 closes the connection. Returns the number of requests.
 */
function failFirst(statuses: readonly number[]): () => number {
  let count = 0;
  gateway.respondWith((received, response) => {
    const status = statuses[count++];
    if (status === undefined) forward(received, response);
    else if (status === 0) response.destroy();
    else response.writeHead(status).end();
  });
  return () => count;
}

/** Skips tests of programs whose interpreter is not installed. */
const itWith = (program: string) => (canRun(program) ? it : it.skip);

describe.each(['website.mjs', 'website.py', 'website.php'])('%s', (program) => {
  itWith(program)('serves the next visitor after one who left during a request', async () => {
    const website = await startProgram(program, variables);
    try {
      const { hostname, port } = new URL(website.url);
      const leaving = connect(Number(port), hostname);
      const head = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n';
      const type = 'content-type: application/x-www-form-urlencoded\r\n\r\n';
      await new Promise((resolve) => leaving.write(`${head}${type}name=a`, resolve));
      leaving.resetAndDestroy();
      const body = new URLSearchParams({ name: 'Mona', email: '', phone: '' });
      const { status } = await fetch(website.url, { method: 'POST', body });
      // An empty phone is not valid, but an empty optional email is left out.
      expect(status).toBe(400);
    } finally {
      await website.stop();
    }
  });

  itWith(program)('prints unsent leads with their language and the reason', async () => {
    const lead = { name: 'Mona', phoneNumber: '01000000001', language: 'ar-eg' };
    const printed = async (own: Record<string, string>) => {
      const website = await startProgram(program, { ...variables, ...own });
      try {
        const form = { submission: 'kept', name: lead.name, phone: lead.phoneNumber };
        const body = new URLSearchParams({ ...form, language: lead.language });
        const { status } = await fetch(website.url, { method: 'POST', body });
        expect(status).toBe(503);
        const [, why = '', kept = ''] = /not sent (.*?) *(\{.*\})/.exec(website.printed()) ?? [];
        expect(JSON.parse(kept)).toEqual({ ...lead, email: null, recordSystemId: 'kept' });
        return why;
      } finally {
        await website.stop();
      }
    };
    expect(await printed({ API_KEY: 'iapi_wrong' })).toMatch(/key\.invalid$/);
    // No process listens on this port.
    expect(await printed({ API_URL: 'http://127.0.0.1:2' })).toMatch(/ECONNREFUSED|refused/);
  });

  itWith(program).each([503, 408, 409, 429].slice(0, rounds(1, 4)))(
    'sends each posted form once despite status %i and lost connections',
    async (temporary) => {
      const website = await startProgram(program, variables);
      const send = async (fields: Record<string, string>) => {
        const body = new URLSearchParams({ language: 'en-us', ...fields });
        const response = await fetch(website.url, { method: 'POST', body });
        return [response.status, await response.text()];
      };
      const thanked = [200, 'Thank you · شكرًا لك'];
      try {
        const pages = await Promise.all(
          ['/', '/ar'].map(async (path) => (await fetch(website.url + path)).text()),
        );
        expect(pages[0]).toContain('<form method="post">');
        expect(pages[1]).toContain('<html lang="ar" dir="rtl">');
        expect(pages.join('')).not.toContain(tenant.keys.website);

        const submission = randomUUID();
        const phone = `010${String(Date.now()).slice(-8)}`;
        const requests = failFirst([temporary, 0]);
        expect(await send({ submission, name: 'منى السيد', phone })).toEqual(thanked);
        expect(requests()).toBe(3);
        expect(await send({ submission, name: 'منى السيد', phone })).toEqual(thanked);
        const leads = await service.db
          .collection('leads')
          .find({ organizationId: tenant.organizationId, 'data.phoneNumber': phone })
          .toArray();
        expect(leads.map(({ data, recordSystemId }) => [data.name, recordSystemId])).toEqual([
          ['منى السيد', submission],
        ]);
        expect(await send({ submission: '', name: 'Another', phone })).toEqual(thanked);

        const empty = { submission: randomUUID(), name: '', phone: '' };
        expect(await send(empty)).toEqual([
          400,
          'name should not be empty\nphoneNumber should not be empty',
        ]);
        const [status, message] = await send({ ...empty, language: 'ar-eg' });
        expect(status).toBe(400);
        expect(message).toMatch(/^[^a-z]*name[^a-z]*\n[^a-z]*phoneNumber[^a-z]*$/);
      } finally {
        gateway.respondWith(forward);
        await website.stop();
      }
    },
  );
});

describe.each(['website.mjs', 'website.py', 'website.php'])('%s', (program) => {
  itWith(program)('sends nothing when a program fills the hidden field', async () => {
    const requests = failFirst([]);
    const website = await startProgram(program, variables);
    try {
      const form = { submission: randomUUID(), name: 'Program', phone: '1', language: 'en-us' };
      const send = async (hidden: string) => {
        const body = new URLSearchParams({ ...form, website: hidden });
        const response = await fetch(website.url, { method: 'POST', body });
        return [response.status, await response.text(), requests()];
      };
      expect(await send('https://spam.example')).toEqual([200, 'Thank you · شكرًا لك', 0]);
      expect(await send('')).toEqual([200, 'Thank you · شكرًا لك', 1]);
    } finally {
      gateway.respondWith(forward);
      await website.stop();
    }
  });

  itWith(program)('prints the names of ignored fields', async () => {
    gateway.respondWith((_received, response) => {
      response.writeHead(201, { 'x-ignored-fields': 'fullName, phone' }).end('{}');
    });
    const website = await startProgram(program, variables);
    try {
      const form = { submission: randomUUID(), name: 'Mona', phone: '1', language: 'en-us' };
      const body = new URLSearchParams(form);
      expect((await fetch(website.url, { method: 'POST', body })).status).toBe(200);
      expect(website.printed()).toContain('ignored fullName, phone');
    } finally {
      gateway.respondWith(forward);
      await website.stop();
    }
  });
});

const arabicLead = { name: 'Waiting, Arabic', project: 'مروج النخيل' };

describe('the first requests', () => {
  /**
   * Returns the first request bodies of the start and the guides, and the reference's examples of the same
   * operations.
   */
  const firstRequests = () => {
    const leads = '/external/apis/v1.0/leads';
    const demo = {
      organizationId: new ObjectId(),
      keys: new Map([['website', 'iapi_1']] as const),
    };
    const guides = ['docs/guides/website.md', 'docs/guides/website.ar.md'];
    const pasted = [
      firstRequest({ url: service.url, demo }) ?? '',
      ...guides.map((file) => readFileSync(file, 'utf8')),
    ].map((text) => /^curl .+?-d '(.+?)'$/ms.exec(text)?.[1] ?? '');
    const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Document;
    const tried = [leads, `${leads}/batch`].flatMap((path) => {
      const { examples } = paths[path].post.requestBody.content['application/json'] as Document;
      const values = Object.values<Document>(examples);
      return values.map(({ value }) => ({ path, body: JSON.stringify(value) }));
    });
    return [...pasted.map((body) => ({ path: leads, body })), ...tried];
  };

  it('from start, guides and reference are accepted in any order', async () => {
    const requests = firstRequests();
    expect(requests.length).toBeGreaterThan(7);
    const order = fc.shuffledSubarray(requests, { minLength: requests.length });
    await fc.assert(
      fc.asyncProperty(order, async (shuffled) => {
        const { key } = await addTenant(service.db);
        const headers = { 'api-key': key, 'content-type': 'application/json' };
        for (const { path, body } of shuffled) {
          const init = { method: 'POST', headers, body };
          const response = await fetch(`${service.url}${path}`, init);
          const result = (await response.json()) as { refused?: number };
          expect([body, response.ok, result.refused ?? 0]).toEqual([body, true, 0]);
        }
      }),
      { numRuns: rounds(3, 100) },
    );
  });
});

it.each(['website.md', 'website.ar.md'])('the first commands of %s succeed', async (guide) => {
  const text = readFileSync(join('docs/guides', guide), 'utf8');
  const [, commands = ''] = /^```sh\n(.+?)^```/ms.exec(text) ?? [];
  const env = { ...process.env, ...variables, API_KEY: tenant.keys.website };
  const { stdout } = await promisify(execFile)('bash', ['-c', commands], { env });
  const [key, lead] = stdout.replace('}{', '}\n{').split('\n');
  expect(JSON.parse(key ?? '')).toMatchObject({ data: { operations: ['leads.write'] } });
  expect(JSON.parse(lead ?? '')).toMatchObject({ lead: { recordSystemId: 'first-try' } });
});

describe('send-waiting.mjs', () => {
  it('sends each lead of a file once, even when it runs again', async () => {
    const file = join(folder, 'waiting.ndjson');
    const waiting = [
      { name: 'Waiting 1', language: 'en-us' },
      { ...arabicLead, language: 'ar-eg' },
      { name: '' },
      { name: 'Waiting 2', language: 'no\nlanguage' },
      { name: '', language: 'ar-eg' },
    ];
    writeFileSync(file, waiting.map((lead) => `${JSON.stringify(lead)}\n`).join(''));
    for (const _ of ['first', 'second']) {
      const { code, stdout, stderr } = await runProgram('send-waiting.mjs', [file], variables);
      expect([code, stdout]).toEqual([
        1,
        'created 2, updated 0, refused 1\ncreated 1, updated 0, refused 1\n',
      ]);
      const refused = stderr.trim().split('\n');
      expect(refused.map((line) => JSON.parse(line) as object)).toMatchObject([
        { lead: waiting[2], errorCode: 'validation.failed', message: [/^name should/] },
        { lead: waiting[4], errorCode: 'validation.failed', message: [/^[^a-z]*name[^a-z]*$/] },
      ]);
    }
    writeFileSync(file, JSON.stringify({ name: 'Without a phone', phone: '01000000007' }));
    const ignoring = await runProgram('send-waiting.mjs', [file], variables);
    const stdout = 'created 1, updated 0, refused 0\n';
    expect(ignoring).toEqual({ code: 1, stdout, stderr: 'ignored: leads.0.phone\n' });
    writeFileSync(file, JSON.stringify({ name: 'Complete' }));
    const sent = await runProgram('send-waiting.mjs', [file], variables);
    expect(sent).toEqual({ code: 0, stdout, stderr: '' });
    const filter = { organizationId: tenant.organizationId, 'data.name': /^Waiting/ };
    const stored = await service.db.collection('leads').find(filter).sort('leadId', 1).toArray();
    expect(stored.map(({ data, compoundsIds }) => [data, compoundsIds.length])).toEqual([
      [{ name: 'Waiting 1' }, 0],
      [{ name: 'Waiting 2' }, 0],
      [arabicLead, 1],
    ]);
  });
});

describe('the programs of a collector', () => {
  let reservationId: string;

  beforeAll(async () => {
    const { data } = await api.upsertReservation({
      body: {
        recordSystemId: 'deal-of-the-collector',
        unit: 'pm-a-001',
        status: 'pending_cheque_collection',
        partnerCollection: true,
        cheques: [{ installmentId: '1' }, { installmentId: '2' }],
      },
    });
    reservationId = data.reservation._id;
  });

  itWith('collector.py')('report every message once despite lost responses', async () => {
    const cheque = (chequeStatus: string, installmentId = '1') => {
      return { reservationId, installmentId, chequeStatus };
    };
    const messages = [
      cheque('post_dated'),
      { ...cheque('pending'), chequeNumber: '000451', chequeAmount: 250_000 },
      cheque('overdue'),
      cheque('collected'),
      cheque('bounced'),
      cheque('collected'),
      { reservationId, reservationStatus: 'expired' },
      { reservationId, reservationStatus: 'approved' },
      cheque('collected', '3'),
      { reservationId: 'f'.repeat(24), reservationStatus: 'canceled' },
    ];
    const lost = new Set<string>();
    gateway.respondWith((received, response) => {
      const key = received.headers['idempotency-key'] ?? '';
      // Drops the first response to each message, after the service has processed it.
      if (lost.has(key)) return forward(received, response);
      lost.add(key);
      return void fetchFromService(received).then(() => response.destroy());
    });
    const input = messages
      .map((message, index) => `${JSON.stringify({ id: `m-${index + 1}`, ...message })}\n`)
      .join('');
    const paused = { ...variables, PAUSE: '0.001' };
    const { code, stdout, stderr } = await runProgram('collector.py', [], paused, input);
    gateway.respondWith(forward);
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout.trim().split('\n')).toEqual([
      ...['1', '2', '3'].map((id) => `m-${id} unchanged, cheque applied`),
      // A collected cheque approves the reservation, and a bounced one reverts the approval.
      ...['4', '5', '6'].map((id) => `m-${id} applied, cheque applied`),
      'm-7 ignored, cheque none',
      'm-8 422 reservation.not_pending_cheque_collection: Reservation must be pending cheque collection before OIC approval',
      'm-9 404 cheque.not_found: Cheque not found in wallet',
      'm-10 404 reservation.not_found: Reservation not found',
    ]);
    const { data } = await api.readReservation({ path: { reservationId } });
    const [first] = data.data.chequeWallet?.cheques ?? [];
    expect(first?.statusHistory.map(({ status }) => status)).toEqual(
      messages.slice(0, 6).map((message) => 'chequeStatus' in message && message.chequeStatus),
    );
  });

  itWith('collector.py')('print ignored fields and reasons, and exit with 1', async () => {
    const report = async (id: string, message: object) => {
      const input = JSON.stringify({ id, reservationId, ...message });
      const { code, stdout, stderr } = await runProgram('collector.py', [], variables, input);
      expect(stderr).toBe('');
      return [code, stdout];
    };
    const cheque = { installmentId: '2', chequeStatus: 'post_dated' };
    expect(await report('n-1', cheque)).toEqual([0, 'n-1 unchanged, cheque applied\n']);
    expect(await report('n-2', { ...cheque, note: 'x', Note: 'y' })).toEqual([
      1,
      'n-2 unchanged, cheque applied, ignored: note, Note\n',
    ]);
    expect(await report('n-3', { installmentID: '2', cheque_status: 'bounced' })).toEqual([
      1,
      'n-3 unchanged, cheque none, ignored: installmentID, cheque_status\n',
    ]);
    expect(await report('n-4', { installmentID: '2', chequeStatus: 'bounced' })).toEqual([
      1,
      'n-4 400 validation.failed: chequeStatus must be sent together with installmentId, ignored: installmentID\n',
    ]);
    expect(await report('n-5', { reservationStatus: 'expired' })).toEqual([
      1,
      'n-5 ignored, cheque none\n',
    ]);
  });

  itWith('collector.py')(
    'look up in the history whether a message without a response arrived',
    async () => {
      const send = async (ids: readonly string[], post: Respond, read = forward) => {
        gateway.respondWith((received, response) => {
          if (received.method === 'GET') read(received, response);
          else post(received, response);
        });
        const message = { reservationId, installmentId: '2', chequeStatus: 'pending' };
        const input = ids.map((id) => JSON.stringify({ id, ...message })).join('\n');
        const run = await runProgram('collector.py', [], { ...variables, PAUSE: '0.001' }, input);
        gateway.respondWith(forward);
        expect(run.stderr).toBe('');
        return run.stdout;
      };
      const lose: Respond = (received, response) =>
        void fetchFromService(received).then(() => response.destroy());
      const refuse: Respond = (_, response) => response.writeHead(503).end();
      const cutOff: Respond = (_, response) => response.destroy();
      const unknown = 'unknown: send the message again later\n';
      expect(await send(['m-11'], lose)).toMatch(/^m-11 arrived at 20\S+Z, says the history\n$/);
      // The status in the history comes from m-11, so it does not prove that m-12 arrived.
      expect(await send(['m-12'], refuse)).toBe(`m-12 ${unknown}`);
      // Later messages are sent even after an unknown outcome.
      for (const read of [refuse, cutOff]) {
        expect(await send(['m-13', 'm-14'], cutOff, read)).toBe(`m-13 ${unknown}m-14 ${unknown}`);
      }
    },
  );

  itWith('due.py')('print the cheques that are due', async () => {
    const recordSystemId = 'due-cheques';
    const dueDate = (installment: number) => `2026-0${1 + (installment % 2)}-01`;
    const installments = Array.from({ length: 210 }, (_, index) => index);
    const { data } = await api.upsertReservation({
      body: {
        recordSystemId,
        unit: 'pm-a-002',
        cheques: installments.map((number) => {
          return { installmentId: String(number), dueDate: dueDate(number) };
        }),
      },
    });
    const due = async (day: string) => {
      const { code, stdout, stderr } = await runProgram('due.py', [day], variables);
      expect([code, stderr]).toEqual([0, '']);
      const lines = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Document);
      return lines.filter(({ reservationId: id }) => id === data.reservation._id);
    };
    expect(await due('2026-01-31')).toHaveLength(105);
    expect(await due('2026-02-01')).toHaveLength(210);
    const refused = await runProgram('due.py', ['tomorrow'], variables);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('dueTo')]);
  });

  itWith('reconcile.py')('report differences from a ledger', async () => {
    const file = join(folder, 'ledger.csv');
    const names = 'reservationId,installmentId,chequeStatus,chequeNumber,chequeAmount';
    const rows = [`${reservationId},1,collected,000451,250000`, `${reservationId},2,bounced,,`];
    writeFileSync(file, [names, ...rows, ''].join('\n'));
    const differing = await runProgram('reconcile.py', [file], variables);
    expect(differing).toMatchObject({
      code: 1,
      stdout: `${reservationId} 2 status: the platform pending, your ledger bounced\n1 of 2 agree\n`,
    });
    writeFileSync(file, [names, rows[0], ''].join('\n'));
    const agreeing = await runProgram('reconcile.py', [file], variables);
    expect(agreeing).toMatchObject({ code: 0, stdout: '1 of 1 agree\n' });
  });

  itWith('reconcile.py')('read a ledger from a spreadsheet and report its errors', async () => {
    const file = join(folder, 'wrong-ledger.csv');
    const compare = (text: string, own = {}) => {
      writeFileSync(file, text);
      return runProgram('reconcile.py', [file], { ...variables, ...own });
    };
    const names = 'reservationId,installmentId,chequeStatus,chequeAmount';
    const good = `\u{FEFF}${names}\r\n${reservationId},2,pending,\r\n`;
    expect(await compare(good)).toEqual({ code: 0, stdout: '1 of 1 agree\n', stderr: '' });
    for (const amount of ['250 thousand', 'NaN']) {
      expect(await compare(`${good}${reservationId},2,pending,${amount}\r\n`)).toEqual({
        code: 1,
        stdout: '',
        stderr: `row 3, column chequeAmount: "${amount}" is no number\n`,
      });
    }
    const twice = await compare(`${names},chequeAmount\n${reservationId},2,pending,1,2\n`);
    expect(twice).toMatchObject({ code: 1, stdout: '' });
    expect(twice.stderr).toBe('Columns that occur twice: chequeAmount. Keep one of each.\n');
    const unknownStatus = await compare(`${names}\n${reservationId},1,paid,\n`);
    expect(unknownStatus).toMatchObject({ code: 1, stdout: '' });
    expect(unknownStatus.stderr).toMatch(/^400 \{.*chequeStatus must be one of.*\}\n$/);
    const refused = await compare(good, { API_KEY: 'iapi_wrong' });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^401 \{.*API key not valid.*\}\n$/);
  });
});

describe.each(['sign-callback.mjs', 'sign-callback.py'])('%s', (program) => {
  itWith(program)('reports a cheque with and without a signature', async () => {
    const reservationId = tenant.reservations['sandbox-reservation-pending-cheque-collection'];
    const { key: API_KEY, signingSecret: SIGNING_SECRET } = tenant.signedCollector;
    const send = (own: Record<string, string>) =>
      runProgram(program, [reservationId ?? '', 'installment-2', 'post_dated'], {
        ...variables,
        ...own,
      });
    const stdout = '201 reservation unchanged, cheque applied\n';
    expect(await send({ API_KEY, SIGNING_SECRET })).toEqual({ code: 0, stdout, stderr: '' });
    const API_URL = service.url;
    expect(await send({ API_URL, API_KEY: tenant.keys.collector })).toMatchObject({
      code: 0,
      stdout,
    });
    const missing = await send({ API_KEY });
    expect(missing).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^401 \S*signature_missing /),
    });
    const foreign = `whsec_${randomBytes(32).toString('base64')}`;
    const wrong = await send({ API_URL, API_KEY, SIGNING_SECRET: foreign });
    expect(wrong).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^401 \S*signature_mismatch /),
    });
  });
});

describe('the programs of a CRM', () => {
  const byId = <T extends { readonly _id: string }>(items: readonly T[]) =>
    items.toSorted((a, b) => (a._id < b._id ? -1 : 1));

  it('store a copy of all units', async () => {
    const file = join(folder, 'units.json');
    const copied = async () => {
      const { code, stderr } = await runProgram('copy.mjs', [], { ...variables, COPY: file });
      expect([code, stderr]).toEqual([0, '']);
      return byId((JSON.parse(readFileSync(file, 'utf8')) as { items: UnitDto[] }).items);
    };
    const stored = async () => byId((await api.exportUnits()).data.data);
    expect(await copied()).toEqual(await stored());
    const compound = 'palm-meadows';
    await api.upsertUnit({ body: { unitId: 'PM-A-002', compound, price: 1 } });
    await api.upsertUnit({ body: { unitId: 'NEW', compound, name: 'New' } });
    await api.upsertUnit({ body: { unitId: 'PM-A-003', compound, isDeleted: true } });
    expect(await copied()).toEqual(await stored());
  });

  it('stop when a parameter of the copy was ignored', async () => {
    gateway.respondWith((_received, response) => {
      const body = JSON.stringify({ data: [], pagination: { next: null } });
      response.writeHead(200, { 'x-ignored-fields': 'updatedsince' }).end(body);
    });
    const COPY = join(folder, 'ignored.json');
    const { code, stderr } = await runProgram('copy.mjs', [], { ...variables, COPY });
    gateway.respondWith(forward);
    expect([code, stderr]).toEqual([1, expect.stringContaining('ignored: updatedsince')]);
  });

  it.each(['leads', 'reservations', 'compounds'])('copy the list of %s', async (LIST) => {
    const file = join(folder, `${LIST}.copy.json`);
    const { code, stdout } = await runProgram('copy.mjs', [], { ...variables, LIST, COPY: file });
    const { items } = JSON.parse(readFileSync(file, 'utf8')) as { items: Document[] };
    expect([code, stdout]).toEqual([0, `${items.length} ${LIST}\n`]);
    const filter = { organizationId: tenant.organizationId, isDeleted: false };
    expect(items).toHaveLength(await service.db.collection(LIST).countDocuments(filter));
  });

  it('keep a copy of all leads despite failures and expired events', async () => {
    const { db } = service;
    const { organizationId } = tenant;
    const file = join(folder, 'leads.json');
    const follow = async (times: number) => {
      await numberEvents(db, organizationId);
      const own = { COPY: file, ROUNDS: String(times), PAUSE_MS: '1' };
      const run = await runProgram('leads.mjs', [], { ...variables, ...own });
      const copy = JSON.parse(readFileSync(file, 'utf8')) as { after: number; leads: LeadDto[] };
      return { ...run, ...copy };
    };
    const crm = apiClient(service.url, tenant.keys.crm);
    const listed = async () => (await crm.listLeads({ query: { limit: 100 } })).data.data;
    const lead = { recordSystemId: 'followed-1', name: 'Mona' };
    await api.upsertLead({ body: lead });
    await api.upsertLead({ body: { ...lead, recordSystemId: 'followed-2' } });
    const first = await follow(1);
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(byId(first.leads)).toEqual(byId(await listed()));

    await api.deleteLead({ path: { recordSystemId: 'followed-1' } });
    await api.upsertLead({ body: { recordSystemId: 'followed-2', name: 'Mona Adel' } });
    failFirst([503, 408, 0]);
    const later = await follow(4);
    expect([later.code, later.after]).toEqual([0, expect.any(Number)]);
    expect(later.after).toBeGreaterThan(first.after);
    expect(byId(later.leads)).toEqual(byId(await listed()));

    // After a month the events are gone, and another program has deleted a lead without an event.
    gateway.respondWith((received, response) => {
      const headers = { 'x-next-cursor': '1233' };
      if (received.path.includes('/events')) response.writeHead(410, headers).end('{}');
      else forward(received, response);
    });
    const deletion = { isDeleted: true, deletedAt: new Date(), updatedAt: new Date() };
    const filter = { organizationId, recordSystemId: 'followed-2', isDeleted: false };
    await db.collection('leads').updateOne(filter, { $set: deletion });
    const back = await follow(1);
    gateway.respondWith(forward);
    expect([back.code, back.after]).toEqual([0, 1233]);
    expect(byId(back.leads)).toEqual(byId(await listed()));
    expect(back.leads).toHaveLength(later.leads.length - 1);
  });

  it('load a unit only when it has changed', async () => {
    const thrice = { ...variables, ROUNDS: '3', PAUSE_MS: '1' };
    const { stdout } = await runProgram('one-unit.mjs', ['pm-a-001'], thrice);
    expect(stdout).toMatch(/^.+ (Sold|Reserved|Available) \d+\ncurrent\ncurrent\n$/);
  });

  itWith('export.py')('write matching units into a file for spreadsheets', async () => {
    const file = join(folder, 'units.csv');
    const { code, stdout, stderr } = await runProgram(
      'export.py',
      [file, 'status=Available'],
      variables,
    );
    expect([code, stderr]).toEqual([0, '']);
    const text = readFileSync(file, 'utf8');
    expect(text.startsWith('\u{FEFF}')).toBe(true);
    const rows = parse<Record<string, string>>(text, { bom: true, columns: true });
    const { data } = await api.exportUnits({ query: { status: 'Available' } });
    expect(rows.map(({ slug }) => slug).toSorted()).toEqual(
      data.data.map(({ slug }) => slug).toSorted(),
    );
    expect(stdout).toBe(`${rows.length} units\n`);
    expect(rows.some(({ name = '' }) => /[ء-ي]/.test(name))).toBe(true);
    const refused = await runProgram('export.py', [file], { ...variables, API_KEY: 'iapi_wrong' });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^401 \{.*API key not valid.*\}\n$/);
    const wrong = await runProgram('export.py', [file, 'minPrice=cheap'], variables);
    expect(wrong).toMatchObject({ code: 1, stdout: '' });
    expect(wrong.stderr).toMatch(/^400 \{.*minPrice must be .*\}\n$/);
    gateway.respondWith((_received, response) => {
      response.writeHead(200, { 'content-length': '1000', 'x-total-count': '2' });
      response.write('_id,name\r\n', () => response.destroy());
    });
    const cut = await runProgram('export.py', [file], variables);
    gateway.respondWith(forward);
    expect(cut).toMatchObject({ code: 1, stdout: '' });
    expect(cut.stderr).toMatch(/^The export was cut short: .+\n$/);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  itWith('export.py').each(['export.py', 'reconcile.py'])(
    'report an unreachable platform in one line (%s)',
    async (program) => {
      const file = join(folder, 'unreachable.csv');
      writeFileSync(
        file,
        `reservationId,installmentId,chequeStatus\n6740b1f2c3d4e5f607182930,1,pending\n`,
      );
      const nowhere = { ...variables, API_URL: 'http://127.0.0.1:1' };
      const { code, stderr } = await runProgram(program, [file], nowhere);
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /^The (export was cut short|platform cannot be reached): .*refused.*\n$/,
      );
    },
  );

  itWith('export.py')('write several responses into one file', async () => {
    const file = join(folder, 'parts.csv');
    const receivedQueries: string[] = [];
    gateway.respondWith(({ path }, response) => {
      const { searchParams: query } = new URL(path, gateway.url);
      receivedQueries.push(`${query.get('after')} ${query.get('bom')}`);
      const isFirst = query.get('after') === '0';
      const headers = { 'x-total-count': '2', ...(isFirst ? { 'x-next-cursor': 'c1' } : {}) };
      const text = `${isFirst ? '\u{FEFF}' : ''}_id,name\r\n${isFirst ? 'a,A' : 'b,B'}\r\n`;
      response.writeHead(200, headers).end(text);
    });
    const { stdout } = await runProgram('export.py', [file], variables);
    gateway.respondWith(forward);
    expect(receivedQueries).toEqual(['0 1', 'c1 null']);
    expect(readFileSync(file, 'utf8')).toBe('\u{FEFF}_id,name\r\na,A\r\nb,B\r\n');
    expect(stdout).toBe('2 units\n');
  });
});

describe.each(['receiver.mjs', 'receiver.py', 'receiver.php'])('%s', (program) => {
  itWith(program)('accepts each signed webhook once and rejects all other requests', async () => {
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const receiver = await startProgram(program, { WEBHOOK_SECRET: secret, TMPDIR: folder });
    const body =
      '{"type":"lead.created","timestamp":"2030-01-01T00:00:00.000Z","data":{"_id":"عربي"}}';
    const post = async (sent: string, at = new Date(), by = [secret], id = 'msg_1') => {
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': by.map((each) => new Webhook(each).sign(id, at, body)).join(' '),
      };
      return (await fetch(receiver.url, { method: 'POST', headers, body: sent })).status;
    };
    const foreign = `whsec_${randomBytes(32).toString('base64')}`;
    try {
      expect(await post(body)).toBe(204);
      expect(await post(body)).toBe(204);
      expect(await post(body, new Date(), [foreign, secret], 'msg_2')).toBe(204);
      expect(await post(body.replace('created', 'deleted'))).toBe(401);
      expect(await post(body, new Date(Date.now() - 400_000))).toBe(401);
      expect(await post(body, new Date(), [foreign])).toBe(401);
      expect((await fetch(receiver.url, { method: 'POST', body })).status).toBe(401);
      expect(receiver.printed().match(/lead\.created عربي/g)).toHaveLength(2);
      expect(receiver.printed()).not.toContain('lead.deleted');
    } finally {
      await receiver.stop();
    }
  });
});

describe('the commands of the guide for operators', () => {
  // Other tests leave records in the shared database, which `db status` would report.
  let fresh: TestService;
  beforeAll(async () => {
    fresh = await startTestService({}, randomDatabaseUri());
  });
  afterAll(() => fresh.stop());

  it('succeed in the documented order', async () => {
    const guide = readFileSync('docs/guides/operator.md', 'utf8');
    const fences = [...guide.matchAll(/^```sh\n(.+?)^```/gms)].map(([, text = '']) => text);
    // Readers paste whole blocks: a rotation and a revocation in one would end the overlap immediately.
    expect(
      fences.filter((text) => /key rotate.*key revoke|key revoke.*key rotate/s.test(text)),
    ).toEqual([]);
    const commands = fences.join('').trim().split('\n');
    /** Replaces the examples of the guide by the keys and ids of this test. */
    const known = new Map<string, string>();
    /** Stores ids and keys for later commands, and does the steps that the guide leaves to the reader. */
    const remember = async (command: string, printed: { _id?: string; key?: string }) => {
      const { _id = '', key = '' } = printed;
      if (command.startsWith('org create')) known.set('organization', _id);
      // A key for pages sends nothing from here.
      if (!command.startsWith('key issue') || command.includes('--origins')) return;
      known.set('iapi_4fT9xQ', _id);
      const website = apiClient(fresh.url, key);
      await website.upsertLead({ body: { recordSystemId: 'form-1', name: 'Mona' } });
      const organizationId = new ObjectId(known.get('organization'));
      const platform = apiClient(fresh.url, await addKey(fresh.db, organizationId));
      const deal = { recordSystemId: 'deal-1', unit: 'pm-a-001' };
      await platform.upsertReservation({ body: deal });
    };
    const outcomes: (string | number)[][] = [];
    for (const line of commands) {
      const command = line.replace('npm run cli -- ', '');
      const args = [...command.matchAll(/"([^"]+)"|'([^']+)'|(\S+)/g)].map(
        ([, quoted, kept = quoted, plain = '']) => kept ?? known.get(plain) ?? plain,
      );
      const file = args.indexOf('src/operator/sandbox/catalogue.ndjson');
      if (file >= 0) args[file] = join(process.cwd(), 'src/operator/sandbox/catalogue.ndjson');
      const { code, stdout, stderr } = await runCli([...args, '--json'], {
        MONGODB_URI: fresh.databaseUri,
      });
      outcomes.push([line, code, code === 0 ? '' : stderr]);
      if (code === 0) await remember(command, JSON.parse(stdout) as { _id?: string; key?: string });
    }
    expect(outcomes).toEqual(commands.map((line) => [line, 0, '']));
    expect(commands.length).toBeGreaterThan(10);
  });
});

it.each([
  'website.mjs',
  'send-waiting.mjs',
  'copy.mjs',
  'leads.mjs',
  'one-unit.mjs',
  'sign-callback.mjs',
])('%s reports missing variables immediately', async (program) => {
  for (const name of ['API_URL', 'API_KEY']) {
    const { code, stderr } = await runProgram(program, [], { ...variables, [name]: '' });
    expect([code, stderr]).toEqual([1, expect.stringContaining('API_KEY have to be set')]);
  }
});

it.each(readdirSync('docs/guides').filter((file) => file.endsWith('.ar.md')))(
  '%s has the same programs, steps and row of ignored fields as the English guide',
  (file) => {
    const [arabic = '', english = ''] = [file, file.replace('.ar.md', '.md')].map((name) =>
      readFileSync(join('docs/guides', name), 'utf8'),
    );
    expect([arabic, english].filter((text) => /^\| .*`x-ignored-fields`/m.test(text))).toHaveLength(
      2,
    );
    const links = (of: string) => new Set(of.match(/\(programs\/[^)]+\)/g));
    expect(links(arabic)).toEqual(links(english));
    expect(arabic.match(/^## /gm)?.length).toBe(english.match(/^## /gm)?.length);
  },
);
