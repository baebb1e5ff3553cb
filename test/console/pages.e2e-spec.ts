import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { DatabaseConnection } from '../../src/core/database/connection/database-connection.js';
import { DatabaseUnavailableError } from '../../src/core/database/connection/database-errors.js';
import { ConsoleSessionsService } from '../../src/operator/console-sessions/console-sessions.service.js';
import { PartnersService } from '../../src/operator/usage/partners.service.js';
import { UsageRecorder } from '../../src/operator/usage/usage-recorder.js';
import { UsageService } from '../../src/operator/usage/usage.service.js';
import { WebhookStatsService } from '../../src/webhooks/statistics/webhook-stats.service.js';
import { addKey, conventions, publishedEvents } from '../support/builders.js';
import { collectionNames, profileCommands, wastefulCommands } from '../support/command-plans.js';
import { eventually } from '../support/eventually.js';
import type { TenantApi } from '../support/tenant-api.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { addCalls } from '../usage/usage-service.js';
import {
  type ConsolePageResponse,
  startConsole,
  type TestConsole,
  textOf,
} from './console-client.js';
import { cardOf, cardText, itemsIn, rowsIn } from './page-parts.js';

const hour = 3_600_000;
const day = 24 * hour;
const secret = '<script>alert(1)</script>';
/** Days on which a silent partner was active. */
const silentDays = [1.5, 2.5, 3.5, 4.5, 5.5, 6.5];
const incomplete = 'The database did not respond in time, so this list may be incomplete.';

let service: TestConsole;
let tenant: TenantApi;

beforeAll(async () => {
  service = await startConsole({}, randomDatabaseUri());
  tenant = await service.addTenant({ key: { name: 'Fresh' } });
});
afterAll(() => service.stop());
afterEach(() => {
  jest.restoreAllMocks();
});

/** Adds a key with calls. @returns its id */
async function addPartner(
  name: string,
  daysAgo: readonly number[],
  {
    counts = {},
    ...fields
  }: { readonly counts?: Record<string, number>; readonly [field: string]: unknown } = {},
): Promise<ObjectId> {
  const _id = new ObjectId();
  await tenant.add(addKey, { _id, name, ...fields });
  await addCalls(service.db, _id, daysAgo, counts);
  return _id;
}

async function removePartners(...ids: readonly ObjectId[]): Promise<void> {
  await service.db.collection('apiKeys').deleteMany({ _id: { $in: ids } });
  await service.db.collection('usage').deleteMany({ apiKeyId: { $in: ids } });
}

/** On a busy machine, parts of the page may time out. */
async function overview(query = ''): Promise<string> {
  let page: ConsolePageResponse | undefined;
  await eventually(async () => {
    page = await service.get(query);
    expect(page.status).toBe(200);
  });
  return page?.html ?? '';
}
const attentionIn = (html: string) => itemsIn(cardOf(html, 'Needs attention'));
const attention = async () => attentionIn(await overview());
const storeUsage = (of = service) => of.service.app.get(UsageRecorder).store();

describe('the overview of a system', () => {
  it('says how to begin without calls, and that nothing needs attention after a call', async () => {
    const empty = await startConsole({}, randomDatabaseUri());
    const { get } = await empty.addTenant();
    await eventually(async () => {
      const text = cardText((await empty.get('')).html, 'Needs attention');
      expect(text).toMatch(/^Needs attention No calls yet .*npm run cli -- key issue/);
    });
    await get('/compounds').expect(200);
    await storeUsage(empty);
    await eventually(async () => {
      const text = cardText((await empty.get('')).html, 'Needs attention');
      expect(text).toMatch(/^Needs attention Nothing needs attention Silent partners, failing /);
    });
    await empty.stop();
  });
});

describe('the overview', () => {
  it('shows recent calls by route and the share of refused ones, but no API key in plain text', async () => {
    for (let call = 0; call < 3; call++) await tenant.get('/compounds').expect(200);
    await tenant.get('/leads/none').expect(404);
    await storeUsage();
    const html = await overview();
    const routes = rowsIn(cardOf(html, 'Calls by route'));
    const calls = routes.map(([route, count, refused]) => [
      route?.split('/').at(-1),
      count,
      refused,
    ]);
    expect(calls).toEqual(
      expect.arrayContaining([
        ['compounds', '3', '0'],
        [':recordSystemId', '1', '1'],
      ]),
    );
    expect(textOf(html)).toContain(' Calls 4 Refused 1 25% Failed 0 ');
    expect(html).not.toContain(tenant.key.slice(0, 6));
  });

  it('names a silent partner, but none whose key has ended', async () => {
    const revokedAt = new Date();
    const ids = [
      await addPartner('Old CRM', silentDays),
      await addPartner('Ended', silentDays, { revokedAt }),
      await addPartner('Occasional', silentDays.slice(0, 4)),
    ];
    const html = await overview();
    expect(attentionIn(html)).toEqual([
      'Silent Old CRM (Nile Homes) last call 1 d ago , used on 6 of the last seven days Ask the partner whether its program still runs.',
    ]);
    expect(html).toContain(`href="/console/partners/${String(ids[0])}"`);
    await removePartners(...ids);
  });

  it('names partners whose calls are mostly refused, whose fields are mostly ignored, or whose key expires', async () => {
    const expiresAt = new Date(Date.now() + 3 * day + hour / 2);
    const ids = [
      await addPartner('Refused', [0.1], { counts: { calls: 40, refused: 18, failed: 2 } }),
      await addPartner('Rarely refused', [0.1], { counts: { calls: 40, refused: 8 } }),
      await addPartner('Ignored', [0.1], { counts: { calls: 9, leads: 9, mostlyIgnored: 5 } }),
      await addPartner('Rarely ignored', [0.1], {
        counts: { calls: 9, leads: 9, mostlyIgnored: 4 },
      }),
      await addPartner('Expiring', [0.1], { expiresAt }),
      await addPartner('Expiring unused', [40], { expiresAt }),
    ];
    const html = await overview();
    expect(attentionIn(html)).toEqual([
      'Refused Refused (Nile Homes) 20 of 40 calls in 24 hours were refused or failed See the reasons, and send the partner their remedies.',
      'Ignored Ignored (Nile Homes) most fields of more than half of its leads are ignored Tell the partner the correct field names. The page of the partner lists the ignored names.',
      `Key expires Expiring (Nile Homes) in 3 d, and it is still used Replace it: npm run cli -- key rotate ${String(ids[4])}`,
    ]);
    for (const index of [0, 2, 4]) {
      expect(html).toContain(`href="/console/partners/${String(ids[index])}"`);
    }
    await removePartners(...ids);
  });

  it('names failing, given-up and faulty endpoints as the list of endpoints does', async () => {
    const failingSince = new Date(Date.now() - 2 * hour - 1_000);
    const lastFailure = {
      at: new Date(),
      statusCode: 500,
      error: null,
      attempt: 3,
      excerpt: 'down',
      deliveryId: new ObjectId(),
      objectId: null,
    };
    const endpoint = (name: string, fields: object) => ({
      ...conventions(tenant.organizationId),
      url: `https://${name}.example.com/hooks?token=abc123`,
      eventTypes: ['*'],
      isEnabled: true,
      disabledReason: null,
      failingSince: null,
      ...fields,
    });
    const gone = { isEnabled: false, failingSince, disabledReason: 'gone' };
    const failing = endpoint('failing', { failingSince, lastFailure });
    const endpoints = service.db.collection('webhookEndpoints');
    await endpoints.insertMany([
      failing,
      endpoint('gone', gone),
      endpoint('faulty', { fault: 'eventTypes is not a list' }),
      endpoint('well', { lastSuccessAt: new Date() }),
      endpoint('unused', {}),
      endpoint('off', { ...gone, disabledReason: 'operator' }),
      endpoint('removed', { ...gone, removedAt: new Date() }),
    ]);
    const html = await overview();
    const list = await service.text('/webhooks');
    await endpoints.deleteMany({});
    for (const [name, state] of [
      ['failing', 'failing 500'],
      ['gone', 'given up the receiver responded 410'],
      ['faulty', 'faulty eventTypes is not a list'],
      ['well', 'works'],
      ['unused', 'unused'],
      ['off', 'disabled by the operator'],
    ] as const) {
      expect(list.split(`https://${name}.example.com/`)[1]).toContain(` Nile Homes ${state}`);
    }
    expect(attentionIn(html)).toEqual([
      'Endpoint https://faulty.example.com/hooks?•••••• faulty: eventTypes is not a list',
      'Endpoint https://failing.example.com/hooks?•••••• failing since 2 h ago : 500 Send this response to the owner of the receiver. When the receiver works again, send everything.',
      expect.stringMatching(
        /^Endpoint \S+gone\S+ given up since \S+.* : the receiver responded 410, .* Ask the receiver /,
      ),
    ]);
    expect(html).toContain(`href="/console/webhooks/${failing._id.toHexString()}"`);
    expect(html + list).not.toContain('abc123');
  });

  it('names late events and late deliveries', async () => {
    const { organizationId } = tenant;
    const late = new Date(Date.now() - 5 * 60_000 - 100);
    const [events, deliveries] = [
      service.db.collection('outboxEvents'),
      service.db.collection('webhookDeliveries'),
    ];
    await events.insertMany(publishedEvents(organizationId, 3, { createdAt: late }));
    await deliveries.insertOne({
      ...conventions(organizationId),
      endpointId: new ObjectId(),
      eventId: new ObjectId(),
      type: 'lead.created',
      objectId: null,
      bytes: 9,
      status: 'pending',
      round: 1,
      attempts: 0,
      nextAttemptAt: late,
      log: [],
    });
    const html = await overview();
    await events.deleteMany({});
    await deliveries.deleteMany({});
    const waiting = (count: number) => `Late The oldest of ${count} has been waiting for 5 min`;
    expect(attentionIn(html)).toEqual([
      expect.stringMatching(
        new RegExp(`^Events ${waiting(3)}.* Look at the log of the worker\\.$`),
      ),
      expect.stringMatching(new RegExp(`^Webhooks ${waiting(1)}.* See which endpoints `)),
    ]);
    expect(await attention()).toEqual([]);
  });

  it.each([
    ['', 'Last 24 hours', 96],
    ['?range=week', '7 days', 168],
    ['?range=month', '28 days', 28],
    ['?range=century', 'Last 24 hours', 96],
  ])('shows every step of the range "%s" in its charts', async (query, label, steps) => {
    const partner = await addPartner('Website', [0.01, 5, 20]);
    const html = await overview(query);
    await removePartners(partner);
    expect(textOf(/<a [^>]*aria-current="true"[^>]*>.*?<\/a>/s.exec(html)?.[0] ?? '').trim()).toBe(
      label,
    );
    for (const title of ['Calls', 'Response times']) {
      const [, json = ''] = /data-chart="([^"]*)"/.exec(cardOf(html, title)) ?? [];
      const chart = json && JSON.parse(json.replaceAll('&quot;', '"'));
      if (title === 'Calls')
        expect(chart).toMatchObject({ labels: { length: steps }, kind: 'bar' });
    }
  });

  it('responds with 503 and all other parts when one cannot be read', async () => {
    const statistics = service.service.app.get(WebhookStatsService);
    jest.spyOn(statistics, 'deliveryBacklog').mockRejectedValue(new Error('no primary'));
    const { status, html } = await service.get('');
    expect(status).toBe(503);
    expect(cardText(html, 'Needs attention')).toContain(`Needs attention ${incomplete} Calls `);
    expect(textOf(html)).toContain(' Webhooks due now – ');
    // Other parts may time out on a busy machine.
    await eventually(async () => expect((await service.get('')).html).toContain('/compounds'));
  });

  it('says which charts could not be counted in time, and shows all other parts', async () => {
    const usage = service.service.app.get(UsageService);
    for (const name of ['series', 'routes'] as const) {
      jest.spyOn(usage, name).mockRejectedValue(new Error('operation exceeded time limit'));
    }
    const { html } = await service.get('?range=month');
    const uncounted = 'The calls of this time could not be counted in time: choose a shorter one.';
    for (const title of ['Calls', 'Calls by route']) {
      expect(cardText(html, title)).toContain(uncounted);
    }
    expect(textOf(html)).not.toContain(incomplete);
    expect(textOf(html)).toContain(' Calls – Refused – Failed – ');
    expect(cardOf(html, 'Attempts to send webhooks')).not.toBe('');
  });

  it('responds with 503 in time when the database answers no part of it', async () => {
    const { app } = service.service;
    const never = new Promise<never>(() => {});
    jest.spyOn(app.get(DatabaseConnection), 'hasPrimary').mockResolvedValue(false);
    jest.spyOn(app.get(PartnersService), 'needingAttention').mockReturnValue(never);
    for (const name of ['series', 'routes'] as const) {
      jest.spyOn(app.get(UsageService), name).mockReturnValue(never);
    }
    for (const name of [
      'failingEndpoints',
      'attemptSeries',
      'deliveryBacklog',
      'eventBacklog',
    ] as const) {
      jest.spyOn(app.get(WebhookStatsService), name).mockReturnValue(never);
    }
    const { status, html } = await service.get('');
    expect(status).toBe(503);
    expect(textOf(html)).toContain(incomplete);
    expect(attentionIn(html)).toEqual([
      'Database No primary The database accepts no writes. Look at the members of its replica set.',
    ]);
    expect(textOf(html)).not.toContain('Nothing needs attention');
  });

  it('is replaced by a notice when the database does not answer at all', async () => {
    const { app } = service.service;
    jest
      .spyOn(ConsoleSessionsService.prototype, 'find')
      .mockRejectedValue(new DatabaseUnavailableError());
    jest.spyOn(app.get(DatabaseConnection), 'respondsWithin').mockResolvedValue(false);
    for (const path of ['', '/partners']) {
      const { status, html } = await service.get(path);
      expect(status).toBe(503);
      expect(textOf(html)).toContain('The database does not respond. Reload the page in a moment.');
    }
  });
});

it('the pages escape the names of keys and organizations', async () => {
  const id = await addPartner(secret, silentDays);
  await service.db.collection('organizations').updateMany({}, { $set: { name: `${secret}2` } });
  const pages = ['', '/partners', '/partners?show=silent', `/partners/${String(id)}`];
  for (const path of pages) {
    // On a busy machine, parts of the overview may time out.
    await eventually(async () => {
      const { html } = await service.get(path);
      expect(html).not.toContain(secret);
      expect(html).toContain('&lt;script>alert(1)');
      expect(html).toContain('&lt;script>alert(1)&lt;/script>2');
    });
  }
  await removePartners(id);
  await service.db.collection('organizations').updateMany({}, { $set: { name: 'Nile Homes' } });
});

it('overview and partners use indexes and read few more documents than they show', async () => {
  const ids = await Promise.all(
    Array.from({ length: 130 }, (_, index) =>
      addPartner(`Broker ${index}`, silentDays.slice(index % 3)),
    ),
  );
  const usage = service.db.collection('usage');
  const at = (hours: number) =>
    new Date(Math.floor((Date.now() - hours * hour) / 900_000) * 900_000);
  await usage.insertMany(
    Array.from({ length: 2_000 }, (_, index) => ({
      at: at(24 * 30 + index),
      apiKeyId: ids[0],
      route: 'GET /old',
      calls: 1,
    })),
  );
  const commands = await profileCommands(service.db, async () => {
    for (const path of ['', '/partners', '/partners?show=silent', `/partners/${String(ids[0])}`])
      await service.text(path);
  });
  await removePartners(...ids);
  expect([...collectionNames(commands)]).toEqual(expect.arrayContaining(['usage', 'apiKeys']));
  const old = commands.filter(({ ns }) => ns.endsWith('.usage'));
  // None reads what is older than four weeks.
  for (const { docsExamined } of old) expect(docsExamined).toBeLessThan(1_500);
  const others = commands.filter(({ ns }) => !/\.(usage|apiKeys|keyActivity)$/.test(ns));
  expect(wastefulCommands(others)).toEqual([]);
});
