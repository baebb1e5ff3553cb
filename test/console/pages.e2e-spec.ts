import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { Types } from 'mongoose';
import { CatalogueImportsService } from '../../src/operator/catalogue-import/catalogue-imports.service.js';
import { UsageRecorder } from '../../src/operator/usage/usage-recorder.js';
import { WebhookStatsService } from '../../src/webhooks/statistics/webhook-stats.service.js';
import { addKey, conventions } from '../support/builders.js';
import { collectionNames, profileCommands, wastefulCommands } from '../support/command-plans.js';
import { eventually } from '../support/eventually.js';
import type { TenantApi } from '../support/tenant-api.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { startConsole, type TestConsole, textOf } from './console-client.js';
import { addKeyWeeks, addUsage } from './sample-usage.js';

const hour = 3_600_000;
const secret = '<script>alert(1)</script>';

let service: TestConsole;
let tenant: TenantApi;
let website: ObjectId;
let silent: ObjectId;

async function newKey(name: string, fields: object = {}, options: object = {}) {
  const keyId = new ObjectId();
  const key = await tenant.add(addKey, { _id: keyId, name, ...fields }, options);
  return { key, keyId };
}
const removeKey = (_id: ObjectId) => service.db.collection('apiKeys').deleteOne({ _id });
const storeUsage = () => service.service.app.get(UsageRecorder).store();
const partnerPath = (keyId: ObjectId) => `/partners/${keyId.toHexString()}`;

beforeAll(async () => {
  service = await startConsole({}, randomDatabaseUri());
  tenant = await service.addTenant({ key: { name: 'Fresh' } });
  ({ keyId: website } = await newKey(secret));
  ({ keyId: silent } = await newKey('Silent'));
  const { keyId: revoked } = await newKey('Ended', { revokedAt: new Date() });
  const callsUntilStop = (at: Date) => (at.getTime() < Date.now() - 30 * hour ? 40 : 0);
  await addUsage(service.db, [
    { keyId: website, calls: () => 240, refused: 0.1 },
    { keyId: silent, calls: callsUntilStop },
    { keyId: revoked, calls: callsUntilStop },
  ]);
});
afterAll(() => service.stop());

/** Returns the cells of the first row that starts with this name. */
const row = (html: string, name: string): string[] => {
  const found = [...html.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, cells = '']) =>
    [...cells.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) =>
      cell
        .replaceAll(/<svg.*?<\/svg>/gs, '')
        .replaceAll(/<[^>]+>/g, '')
        .trim(),
    ),
  );
  return found.find(([first]) => first?.startsWith(name)) ?? [];
};

/** Returns the lines under "Needs attention". */
const attentionOf = (html: string): string[] => {
  const card = /Needs attention<\/h2>(.*?)<\/section>/s.exec(html)?.[1] ?? '';
  return [...card.matchAll(/<li>(.*?)<\/li>/gs)].map(([, line = '']) => textOf(line).trim());
};
const attention = async () => attentionOf((await service.get('')).html);

describe('the overview', () => {
  it('shows recent calls by route and key, but no API key in plain text', async () => {
    for (let call = 0; call < 3; call++) await tenant.get('/compounds').expect(200);
    await storeUsage();
    const { html } = await service.get('');
    expect(row(html, 'Fresh').slice(1, 4)).toEqual(['3', '0', '0']);
    expect(row(html, 'GET /external/apis/v1.0/compounds')[1]).toBe('3');
    expect(html).not.toContain(tenant.key.slice(0, 6));
  });

  it('names a silent partner with its usual calls, but no partner with a revoked key', async () => {
    const { html } = await service.get('');
    expect(attentionOf(html)).toEqual([
      expect.stringMatching(/^Partner is silent Silent .*about 1,[12]\d\d were expected/),
    ]);
    expect(html).toContain(`/console${partnerPath(silent)}"`);
    expect(html).not.toContain('class="good">Nothing');
  });

  it('names failing, given-up and faulty endpoints as the list of endpoints does', async () => {
    const { organizationId } = tenant;
    const failingSince = new Date(Date.now() - 2 * hour);
    const endpoint = (name: string, fields: object) => ({
      ...conventions(organizationId),
      url: `https://${name}.example.com/hooks?token=abc123`,
      eventTypes: ['*'],
      isEnabled: true,
      disabledReason: null,
      failingSince: null,
      ...fields,
    });
    const disabled = { isEnabled: false, failingSince };
    const failing = endpoint('failing', { failingSince });
    const common = { ...conventions(organizationId), endpointId: failing._id };
    const attempt = { round: 1, startedAt: failingSince, milliseconds: 5, statusCode: 500 };
    const endpoints = service.db.collection('webhookEndpoints');
    await endpoints.insertMany([
      failing,
      endpoint('gone', { ...disabled, disabledReason: 'gone' }),
      endpoint('faulty', { fault: 'eventTypes is not a list' }),
      endpoint('well', {}),
      endpoint('off', { ...disabled, disabledReason: 'operator' }),
      endpoint('removed', { ...disabled, disabledReason: 'gone', removedAt: new Date() }),
    ]);
    await service.db.collection('webhookDeliveries').insertOne({
      ...common,
      eventId: new ObjectId(),
      type: 'lead.created',
      objectId: null,
      bytes: 100,
      status: 'pending',
      round: 1,
      attempts: 3,
      nextAttemptAt: new Date(Date.now() + hour),
      log: [1, 2, 3].map((number) => ({ ...attempt, attempt: number, error: null })),
    });
    const at = new Date(Date.now() - hour);
    await service.db.collection('webhookStatistics').insertOne({ ...common, at, failed: 16 });
    const { html } = await service.get('');
    const list = await service.text('/webhooks');
    await endpoints.deleteMany({});
    for (const [name, state] of [
      ['failing', 'failing (500)'],
      ['gone', 'given up (the receiver responded 410)'],
      ['faulty', 'faulty (eventTypes is not a list)'],
      ['well', 'healthy'],
      ['off', 'disabled (by the operator)'],
    ] as const) {
      expect(list.split(`https://${name}.example.com/`)[1]).toContain(` ${state} `);
    }
    expect(attentionOf(html).filter((line) => line.startsWith('Endpoint'))).toEqual([
      'Endpoint is faulty https://faulty.example.com/hooks?•••••• eventTypes is not a list',
      expect.stringMatching(
        /^Endpoint is failing .* Last response: 500\. Failed attempts since then: 16\. Retries of the last failed delivery: 2\.$/,
      ),
      expect.stringMatching(/^Endpoint was given up .* Reason: the receiver responded 410\./),
    ]);
    expect(html).toContain(`/console/webhooks/${failing._id.toHexString()}"`);
  });

  it('names partners with rejected requests, and used keys that expire soon', async () => {
    const expiresAt = new Date(Date.now() + 3 * 24 * hour);
    const { keyId } = await newKey('Refused', { expiresAt });
    const calls = (at: Date) => (at.getTime() > Date.now() - 12 * hour ? 10 : 0);
    await addKeyWeeks(service.db, [{ keyId, calls, refused: 0.9 }]);
    expect(await attention()).toEqual([
      expect.stringContaining('Partner is silent'),
      expect.stringMatching(/^Partner is failing Refused .* \d+ of 1\d\d calls in 24 hours/),
      expect.stringMatching(/^Key expires soon Refused .* It expires in 2 days/),
    ]);
    await removeKey(keyId);
  });

  it('lists a delayed feed and delayed deliveries', async () => {
    const statistics = service.service.app.get(WebhookStatsService);
    const backlog = { lagMs: 5 * 60_000, count: 1_200 };
    const spies = (['eventBacklog', 'deliveryBacklog'] as const).map((name) =>
      jest.spyOn(statistics, name).mockResolvedValue(backlog),
    );
    const delay = 'Webhooks 1,200 waiting, the oldest for 5 mins.';
    const lines = [`Event feed is delayed ${delay}`, `Deliveries are delayed ${delay}`];
    expect(await attention()).toEqual(expect.arrayContaining(lines));
    for (const spy of spies) spy.mockRestore();
  });

  it.each([
    ['quarter', 97],
    ['hour', 169],
    ['day', 28],
    ['week', 5],
  ])('shows calls, latency and deliveries by %s, newest first', async (by, maxRows) => {
    const { html } = await service.get(`?by=${by}`);
    expect(html).toContain(`?by=${by}" aria-current="true"`);
    const charts = [...html.matchAll(/<figure class="chart">.*?<\/figure>/gs)].map(String);
    expect(charts).toHaveLength(3);
    for (const chart of charts) {
      // The table has a heading row, too.
      const rows = chart.match(/<tr>/g)?.length;
      expect(rows).toBeLessThanOrEqual(maxRows + 1);
      expect(rows).toBeGreaterThanOrEqual(Math.min(maxRows, 24));
      const times = [...chart.matchAll(/<th scope="row"><time datetime="([^"]+)"/g)].map(String);
      expect(times).toEqual(times.toSorted().toReversed());
    }
    expect(textOf(html)).toContain('Database State accepts writes');
  });

  it('shows all other parts when the backlog cannot be read', async () => {
    const backlog = jest
      .spyOn(service.service.app.get(WebhookStatsService), 'deliveryBacklog')
      .mockRejectedValue(new Error('no primary'));
    // On a busy machine, other parts of the page may also time out.
    await eventually(async () => {
      const { status, html } = await service.get('');
      expect(status).toBe(200);
      expect(html).toContain('Deliveries due</dt><dd>–<');
      expect(html).toContain('Some checks are missing');
    });
    backlog.mockRestore();
  });

  it('escapes the names of keys', async () => {
    for (const path of ['', '/partners', partnerPath(website)]) {
      // On a busy machine, parts of the page may time out and be missing.
      await eventually(async () => {
        const { html } = await service.get(path);
        expect(html).not.toContain(secret);
        expect(html).toContain('&lt;script>alert(1)');
      });
    }
  });
});

describe('the partner pages', () => {
  it('list keys with unusual traffic first', async () => {
    const { html } = await service.get('/partners');
    const states = html.matchAll(/<span class="\w+">([\w -]+)<\/span>/g);
    expect([...states].map(([, state]) => state)).toEqual([
      'silent',
      'new',
      'as usual',
      'revoked or expired',
    ]);
    expect(row(html, 'Silent').slice(4, 7)).toEqual(['0', '960', '0']);
  });

  it('show calls over time and the usual week', async () => {
    const { html } = await service.get(`${partnerPath(website)}?language=ar-eg`);
    expect(html).toContain('reservations.callback');
    expect(html).toContain('افتراضيًا، دون تقييد');
    expect(html).toContain('<h1>المفتاح &lt;script');
    expect(html).toMatch(/نحو 40,3\d\d من الطلبات في الأسبوع؛ .*240\.<\/bdi>/);
    expect(html).toContain('<figure class="chart">');
  });

  it('show a chart of rejected and ineffective requests by code', async () => {
    const { key, keyId } = await newKey('Refused');
    const requests = tenant.with(key);
    for (const path of ['/leads/none', '/leads/nobody']) await requests.get(path).expect(404);
    await requests.post('/reservations', {}).expect(400);
    await storeUsage();
    const { html } = await service.get(partnerPath(keyId));
    const [, chart = ''] = html.split('Rejected and ineffective requests by code</h3>');
    expect(textOf(chart)).toMatch(/^ lead\.not_found 2 · reservation\.unit_required 1 /);
    expect(row(chart.slice(chart.indexOf('<tbody>')), '').slice(1)).toEqual(['2', '1']);
    await removeKey(keyId);
  });

  it('mark keys whose callbacks must be signed', async () => {
    const secrets = [{ secret: {}, expiresAt: null }];
    const { keyId } = await newKey('Signing', { secrets }, { bypassDocumentValidation: true });
    await addKeyWeeks(service.db, [{ keyId, calls: () => 1 }]);
    const list = await service.text('/partners');
    expect(list.match(/\w+ \(callbacks are signed\)/g)).toEqual(['Signing (callbacks are signed)']);
    expect(await service.text(partnerPath(keyId))).toContain('Signature of callbacks required');
    await removeKey(keyId);
  });

  it.each([
    ['/unknown', 404],
    ['/665f1c2ab7e4d2f0a1b2c3d4', 404],
    ['/%00', 404],
    ['?page=-1', 200],
    ['?page=99', 200],
    ['?page=x', 200],
  ])('respond to /partners%s with status %i', async (path, status) => {
    expect(await service.get(`/partners${path}`)).toMatchObject({ status });
  });
});

describe('the catalogue page', () => {
  const compounds = [
    { slug: 'garden', name: { 'en-us': 'Garden', 'ar-eg': 'حديقة' } },
    { slug: 'lake', name: { 'en-us': 'Lake' } },
  ];
  const propertyTypes = [{ slug: 'villa', name: { 'en-us': 'Villa' } }];
  const statuses = ['Available', 'Available', 'Available', 'Sold', 'Reserved', 'Held'];
  const units = statuses.map((status, index) => ({
    slug: `u-${index}`,
    unitId: `U-${index}`,
    name: { 'en-us': `Unit ${index}` },
    propertyType: 'villa',
    compound: index < 4 ? 'garden' : 'lake',
    status,
  }));
  const imports = () => service.service.app.get(CatalogueImportsService, { strict: false });
  const importFor = (organizationId: ObjectId) => {
    const id = new Types.ObjectId(organizationId.toHexString());
    return imports().import(id, { compounds, propertyTypes, units });
  };
  const show = async (organizationId: ObjectId) => {
    const { html } = await service.get(`/catalogue?organization=${organizationId.toHexString()}`);
    const latest = html.slice(html.indexOf('Latest imports</h2>'));
    return { html, imported: row(latest.slice(latest.indexOf('<tbody>')), '').slice(1) };
  };

  it('shows the units of each compound by status, and the imports', async () => {
    expect(await importFor(tenant.organizationId)).toMatchObject({ errors: [] });
    const { html, imported } = await show(tenant.organizationId);
    expect(row(html, 'Garden')).toEqual(['Garden', '3', '0', '0', '1', '4']);
    expect(row(html, 'Lake')).toEqual(['Lake', '0', '1', '1', '0', '2']);
    expect(imported).toEqual(['finished', '9', '9', '9', '0']);
  });

  it('shows the progress of a failed import', async () => {
    const { organizationId } = await service.addTenant();
    const store = jest
      .spyOn(imports()['units'], 'store')
      .mockRejectedValue(new Error('no primary'));
    await expect(importFor(organizationId)).rejects.toThrow('3 of 9');
    store.mockRestore();
    const { html, imported } = await show(organizationId);
    expect(imported.slice(0, 3)).toEqual(['stopped by an error', '3', '9']);
    expect(html).not.toContain('Garden');
  });
});

it.each(['/catalogue', '/webhooks'])(
  'the page %s lists organizations with their ids and selects the chosen one',
  async (path) => {
    const other = await service.addTenant();
    const [one, chosen] = [tenant, other].map(({ organizationId }) => organizationId.toHexString());
    const { html } = await service.get(`${path}?organization=${chosen}`);
    expect(html).toContain(`<option value="${one}">Nile Homes (${one})`);
    expect(html).toContain(`<option value="${chosen}" selected>Nile Homes (${chosen})`);
  },
);

it('the overview of an empty system shows the first steps, and no problems after a call', async () => {
  const empty = await startConsole({}, randomDatabaseUri());
  expect(await empty.text('')).toContain('npm run cli -- org create');
  const { get } = await empty.addTenant();
  expect(await empty.text('')).toContain('npm run cli -- key issue');
  await get('/compounds').expect(200);
  await empty.service.app.get(UsageRecorder).store();
  const { html } = await empty.get('');
  expect(html).toContain('<p class="good">No problems with ');
  expect(html).not.toContain('npm run cli');
  await empty.stop();
});

it('console pages use indexes and read few more documents than they show', async () => {
  const catalogue = `/catalogue?organization=${tenant.organizationId.toHexString()}`;
  const commands = await profileCommands(service.db, async () => {
    for (const path of ['', '/partners', partnerPath(website), catalogue]) await service.text(path);
  });
  expect([...collectionNames(commands)]).toEqual(expect.arrayContaining(['usageStats', 'units']));
  expect(wastefulCommands(commands)).toEqual([]);
  const usageCommands = commands.filter(({ ns }) => ns.endsWith('.usageStats'));
  // Two pages read one day of quarters and four weeks of each key.
  const examined = usageCommands.reduce((sum, { docsExamined }) => sum + Number(docsExamined), 0);
  expect(examined).toBeLessThan(25 * (4 + 60) + 100);
  const unitCommands = commands.filter(({ ns }) => ns.endsWith('.units'));
  const planSummary = expect.stringContaining('IXSCAN');
  expect(unitCommands).toMatchObject([{ docsExamined: 0, planSummary }]);
});
