import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { Types } from 'mongoose';
import { CatalogueImportsService } from '../../src/operator/catalogue-import/catalogue-imports.service.js';
import { UsageRecorder } from '../../src/operator/usage/usage-recorder.js';
import { WebhookStatisticsService } from '../../src/webhooks/statistics/webhook-statistics.service.js';
import { addKey, addTenant, conventions, type Tenant } from '../support/builders.js';
import { collectionsOf, profiledCommands, wasteful } from '../support/command-plans.js';
import { eventually } from '../support/eventually.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { startConsole, type TestConsole, textOf } from './console-client.js';
import { addKeyWeeks, addUsage } from './sample-usage.js';

const hour = 3_600_000;
const secret = '<script>alert(1)</script>';

let service: TestConsole;
let tenant: Tenant;
let keys: Readonly<Record<'website' | 'silent' | 'ended' | 'refused', ObjectId>>;
beforeAll(async () => {
  service = await startConsole({}, randomDatabaseUri());
  tenant = await addTenant(service.db, { key: { name: 'Fresh' } });
  const { organizationId } = tenant;
  keys = {
    website: new ObjectId(),
    silent: new ObjectId(),
    ended: new ObjectId(),
    refused: new ObjectId(),
  };
  const revokedAt = new Date();
  await addKey(service.db, organizationId, { _id: keys.website, name: secret });
  await addKey(service.db, organizationId, { _id: keys.silent, name: 'Silent' });
  await addKey(service.db, organizationId, { _id: keys.ended, name: 'Ended', revokedAt });
  const stopped = (at: Date) => (at.getTime() < Date.now() - 30 * hour ? 40 : 0);
  await addUsage(service.db, [
    { keyId: keys.website, calls: () => 240, refused: 0.1 },
    { keyId: keys.silent, calls: stopped },
    { keyId: keys.ended, calls: stopped },
  ]);
});
afterAll(() => service.stop());

/** The cells of the first row that begins with a text. */
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

const attentionOf = (html: string): string[] => {
  const card = /Needs attention<\/h2>(.*?)<\/section>/s.exec(html)?.[1] ?? '';
  return [...card.matchAll(/<li>(.*?)<\/li>/gs)].map(([, line = '']) => textOf(line).trim());
};

describe('the overview', () => {
  it('shows recent calls by route and key, but no API key in plain text', async () => {
    const call = () => service.api('get', '/compounds').set('api-key', tenant.key).expect(200);
    await Promise.all([call(), call(), call()]);
    await service.service.app.get(UsageRecorder).store();
    const { status, html } = await service.get('');
    expect(status).toBe(200);
    expect(row(html, 'Fresh').slice(1, 4)).toEqual(['3', '0', '0']);
    expect(Number(row(html, 'GET /external/apis/v1.0/compounds')[1])).toBe(3);
    expect(html).not.toContain(tenant.key);
    expect(html).not.toContain(tenant.key.slice(0, 6));
  });

  it('names a silent partner with its usual calls, but no partner with an expired key', async () => {
    const lines = attentionOf((await service.get('')).html);
    expect(lines).toEqual([
      expect.stringMatching(/^Partner is silent Silent .*about 1,[12]\d\d would have been usual/),
    ]);
    const { html } = await service.get('');
    expect(html).toContain(`/console/partners/${keys.silent.toHexString()}"`);
    expect(html).not.toContain('class="good">Nothing');
  });

  it('names failing, disabled and faulty endpoints with time and last response', async () => {
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
    const failing = endpoint('failing', { failingSince });
    const endpoints = [
      failing,
      endpoint('gone', { isEnabled: false, disabledReason: 'gone', failingSince }),
      endpoint('faulty', { fault: 'eventTypes is not a list' }),
      endpoint('well', {}),
      endpoint('off', { isEnabled: false, disabledReason: 'operator', failingSince }),
      endpoint('removed', { isEnabled: false, disabledReason: 'gone', removedAt: new Date() }),
    ];
    const common = { ...conventions(organizationId), endpointId: failing._id };
    const log = [1, 2, 3].map((attempt) => ({ attempt, round: 1, statusCode: 500, error: null }));
    const delivery = {
      ...common,
      eventId: new ObjectId(),
      type: 'lead.created',
      objectId: null,
      bytes: 100,
      status: 'pending',
      round: 1,
      attempts: 3,
      nextAttemptAt: new Date(Date.now() + hour),
      log: log.map((entry) => ({ ...entry, startedAt: failingSince, milliseconds: 5 })),
    };
    await service.db.collection('webhookEndpoints').insertMany(endpoints);
    await service.db.collection('webhookDeliveries').insertOne(delivery);
    const at = new Date(Date.now() - hour);
    await service.db.collection('webhookStatistics').insertOne({ ...common, at, failed: 16 });
    const { html } = await service.get('');
    const ids = endpoints.map(({ _id }) => _id);
    await service.db.collection('webhookEndpoints').deleteMany({ _id: { $in: ids } });
    expect(attentionOf(html).filter((line) => line.startsWith('Endpoint'))).toEqual([
      'Endpoint has a fault https://faulty.example.com/hooks?•••••• eventTypes is not a list',
      expect.stringMatching(
        /^Endpoint is failing .* Last response: 500\. Failed attempts since then: 16\. Retries of one delivery: 2\.$/,
      ),
      expect.stringMatching(/^Endpoint is disabled .* Disabled: the receiver responded 410\./),
    ]);
    expect(html).toContain(`/console/webhooks/${failing._id.toHexString()}"`);
  });

  it('names partners with rejected requests, and used keys that expire soon', async () => {
    const { organizationId } = tenant;
    const expiresAt = new Date(Date.now() + 3 * 24 * hour);
    await addKey(service.db, organizationId, { _id: keys.refused, name: 'Refused', expiresAt });
    const isToday = (at: Date) => at.getTime() > Date.now() - 12 * hour;
    await addKeyWeeks(service.db, [
      { keyId: keys.refused, calls: (at) => (isToday(at) ? 10 : 0), refused: 0.9 },
    ]);
    const lines = attentionOf((await service.get('')).html);
    await service.db.collection('apiKeys').deleteOne({ _id: keys.refused });
    expect(lines).toEqual([
      expect.stringContaining('Partner is silent'),
      expect.stringMatching(/^Partner is refused Refused .* \d+ of 1\d\d calls in 24 hours/),
      expect.stringMatching(/^Key expires soon Refused .* It expires in 2 days/),
    ]);
  });

  it('names a delayed feed and delayed deliveries', async () => {
    const statistics = service.service.app.get(WebhookStatisticsService);
    const behind = { lagMs: 5 * 60_000, count: 1_200 };
    const spies = (['eventBacklog', 'deliveryBacklog'] as const).map((name) =>
      jest.spyOn(statistics, name).mockResolvedValue(behind),
    );
    const lines = attentionOf((await service.get('')).html);
    for (const spy of spies) spy.mockRestore();
    expect(lines).toEqual(
      expect.arrayContaining([
        'Feed is behind Webhooks 1,200 waiting, the oldest for 5 mins.',
        'Deliveries are behind Webhooks 1,200 waiting, the oldest for 5 mins.',
      ]),
    );
  });

  it.each([
    ['quarter', 97],
    ['hour', 169],
    ['day', 28],
    ['week', 5],
  ])('shows calls, latency and deliveries by %s, newest first', async (by, most) => {
    const { html } = await service.get(`?by=${by}`);
    expect(html).toContain(`?by=${by}" aria-current="true"`);
    const charts = [...html.matchAll(/<figure class="chart">.*?<\/figure>/gs)].map(String);
    const counts = charts.map((chart) => chart.match(/<tr>/g)?.length);
    expect(counts).toHaveLength(3);
    for (const count of counts) {
      // One more row is the heading.
      expect(count).toBeLessThanOrEqual(most + 1);
      expect(count).toBeGreaterThan(Math.min(most, 24) - 1);
    }
    const times = [...(charts[0] ?? '').matchAll(/<th scope="row"><time datetime="([^"]+)"/g)].map(
      ([, time]) => time ?? '',
    );
    expect(times).toEqual(times.toSorted().toReversed());

    expect(textOf(html)).toContain('Database State takes writes');
  });

  it('shows all other parts when the backlog cannot be read', async () => {
    const hello = jest
      .spyOn(service.service.app.get(WebhookStatisticsService), 'deliveryBacklog')
      .mockRejectedValue(new Error('no primary'));
    // On a busy machine other parts may be late, too.
    await eventually(async () => {
      const { status, html } = await service.get('');
      expect(status).toBe(200);
      expect(html).toMatch(/Deliveries due<\/dt><dd>–</);
      expect(html).toContain('Not everything could be read');
    });
    hello.mockRestore();
  });

  it('escapes the names of keys', async () => {
    for (const path of ['', '/partners', `/partners/${keys.website.toHexString()}`]) {
      const { html } = await service.get(path);
      expect(html).toContain('&lt;script>alert(1)');
      expect(html).not.toContain(secret);
    }
  });
});

describe('the partner pages', () => {
  it('list keys with unusual traffic first', async () => {
    const { html } = await service.get('/partners');
    const states = [...html.matchAll(/<span class="\w+">([\w -]+)<\/span>/g)].map(
      ([, state]) => state,
    );
    expect(states).toEqual(['silent', 'new', 'as usual', 'revoked or expired']);
    expect(row(html, 'Silent').slice(4, 7)).toEqual(['0', '960', '0']);
  });

  it('show calls over time and the usual week', async () => {
    const { html } = await service.get(`/partners/${keys.website.toHexString()}?language=ar-eg`);
    expect(html).toContain('reservations.callback');
    expect(html).toContain('افتراضيًا: لم يختره أحد');
    expect(html).toContain('<h1>المفتاح &lt;script');
    expect(html).toMatch(/نحو 40,3\d\d طلبًا في الأسبوع؛ .*240\.<\/bdi>/);
    expect(html).toContain('<figure class="chart">');
  });

  it('show a chart of rejected requests by error code', async () => {
    const _id = new ObjectId();
    const key = await addKey(service.db, tenant.organizationId, { _id, name: 'Refused' });
    const call = (method: 'get' | 'post', path: string) =>
      service.api(method, path).set('api-key', key).send({});
    for (const path of ['/leads/none', '/leads/nobody']) await call('get', path).expect(404);
    await call('post', '/reservations').expect(400);
    await service.service.app.get(UsageRecorder).store();
    const { html } = await service.get(`/partners/${_id.toHexString()}`);
    const [, chart = ''] = html.split('Refused requests by error code</h3>');
    expect(textOf(chart)).toMatch(/^ lead\.not_found 2 · reservation\.unit_required 1 /);
    expect(row(chart.slice(chart.indexOf('<tbody>')), '').slice(1)).toEqual(['2', '1']);
    await service.db.collection('apiKeys').deleteOne({ _id });
  });

  it('mark keys whose callbacks must be signed', async () => {
    const _id = new ObjectId();
    const secrets = [{ secret: {}, expiresAt: null }];
    const fields = { _id, name: 'Signing', secrets };
    const options = { bypassDocumentValidation: true };
    await addKey(service.db, tenant.organizationId, fields, options);
    await addKeyWeeks(service.db, [{ keyId: _id, calls: () => 1 }]);
    const list = textOf((await service.get('/partners')).html);
    expect(list.match(/\(callbacks are signed\)/g)).toHaveLength(1);
    expect(list).toContain('Signing (callbacks are signed)');
    const page = textOf((await service.get(`/partners/${_id.toHexString()}`)).html);
    expect(page).toContain('Signature of callbacks required');
    await service.db.collection('apiKeys').deleteOne({ _id });
  });

  it.each(['unknown', '665f1c2ab7e4d2f0a1b2c3d4', '%00'])(
    'return 404 for the key %s',
    async (id) => {
      expect(await service.get(`/partners/${id}`)).toMatchObject({ status: 404 });
    },
  );

  it.each(['-1', '99', 'x'])('show the nearest page for ?page=%s', async (page) => {
    expect(await service.get(`/partners?page=${page}`)).toMatchObject({ status: 200 });
  });
});

describe('the catalogue page', () => {
  const compounds = [
    { slug: 'garden', name: { 'en-us': 'Garden', 'ar-eg': 'حديقة' } },
    { slug: 'lake', name: { 'en-us': 'Lake' } },
  ];
  const propertyTypes = [{ slug: 'villa', name: { 'en-us': 'Villa' } }];
  const unit = (index: number, compound: string, status: string) => ({
    slug: `u-${index}`,
    unitId: `U-${index}`,
    name: { 'en-us': `Unit ${index}` },
    propertyType: 'villa',
    compound,
    status,
  });
  const units = [
    ...[0, 1, 2].map((index) => unit(index, 'garden', 'Available')),
    unit(3, 'garden', 'Sold'),
    unit(4, 'lake', 'Reserved'),
    unit(5, 'lake', 'Held'),
  ];
  const show = (organization: ObjectId) =>
    service.get(`/catalogue?organization=${organization.toHexString()}`);

  it('shows the units of each compound by status, and the imports', async () => {
    const imports = service.service.app.get(CatalogueImportsService, { strict: false });
    const id = new Types.ObjectId(tenant.organizationId.toHexString());
    expect(await imports.import(id, { compounds, propertyTypes, units })).toMatchObject({
      errors: [],
    });
    const { html } = await show(tenant.organizationId);
    expect(row(html, 'Garden')).toEqual(['Garden', '3', '0', '0', '1', '4']);
    expect(row(html, 'Lake')).toEqual(['Lake', '0', '1', '1', '0', '2']);
    const imported = /Latest imports<\/h2>(.*?)<\/section>/s.exec(html)?.[1] ?? '';
    expect(row(imported.slice(imported.indexOf('<tbody>')), '').slice(1)).toEqual([
      'finished',
      '9',
      '9',
      '9',
      '0',
    ]);
  });

  it('shows the progress of a failed import', async () => {
    const imports = service.service.app.get(CatalogueImportsService, { strict: false });
    const other = await addTenant(service.db);
    const id = new Types.ObjectId(other.organizationId.toHexString());
    const save = jest.spyOn(imports['units'], 'store').mockRejectedValue(new Error('no primary'));
    await expect(imports.import(id, { compounds, propertyTypes, units })).rejects.toThrow('3 of 9');
    save.mockRestore();
    const { html } = await show(other.organizationId);
    expect(row(html.slice(html.lastIndexOf('<tbody>')), '').slice(1, 4)).toEqual([
      'stopped by an error',
      '3',
      '9',
    ]);
    expect(html).not.toContain('Garden');
  });
});

describe('the filter by organization', () => {
  it.each(['/catalogue', '/webhooks'])(
    'offers organizations by name and id on %s',
    async (path) => {
      const ids = [tenant, await addTenant(service.db)].map(({ organizationId }) =>
        organizationId.toHexString(),
      );
      const { html } = await service.get(`${path}?organization=${ids[1]}`);
      expect(html).toContain(`<option value="${ids[0]}">Nile Homes (${ids[0]})`);
      expect(html).toContain(`<option value="${ids[1]}" selected>Nile Homes (${ids[1]})`);
    },
  );
});

describe('the overview of an empty system', () => {
  it('shows the first steps, and no problems after the first call', async () => {
    const empty = await startConsole({}, randomDatabaseUri());
    const overview = async () => (await empty.get('')).html;
    expect(await overview()).toContain('npm run cli -- org create');
    const { key } = await addTenant(empty.db);
    expect(await overview()).toContain('npm run cli -- key issue');
    await empty.api('get', '/compounds').set('api-key', key).expect(200);
    await empty.service.app.get(UsageRecorder).store();
    const html = await overview();
    expect(html).toContain('<p class="good">Nothing: ');
    expect(html).not.toContain('npm run cli');
    await empty.stop();
  });
});

it('pages use indexes and read little more than they show', async () => {
  const partner = `/partners/${keys.website.toHexString()}`;
  const catalogue = `/catalogue?organization=${tenant.organizationId.toHexString()}`;
  const commands = await profiledCommands(service.db, async () => {
    for (const path of ['', '/partners', partner, catalogue]) {
      expect(await service.get(path)).toMatchObject({ status: 200 });
    }
  });
  expect([...collectionsOf(commands)]).toEqual(expect.arrayContaining(['usageStats', 'units']));
  expect(wasteful(commands)).toEqual([]);
  const ofUsage = commands.filter(({ ns }) => ns.endsWith('.usageStats'));
  // Two pages read one day of quarters and four weeks of each key.
  const documents = ofUsage.map(({ docsExamined }) => Number(docsExamined));
  expect(documents.reduce((sum, count) => sum + count, 0)).toBeLessThan(25 * (4 + 60) + 100);
  const counts = commands.filter(({ ns }) => ns.endsWith('.units'));
  expect(counts).toMatchObject([
    { docsExamined: 0, planSummary: expect.stringContaining('IXSCAN') },
  ]);
});
