import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { getConnectionToken } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Connection } from 'mongoose';
import { LeadPhoneKeys } from '../../src/leads/phones/lead-phone-keys.js';
import { conventions } from '../support/builders.js';
import { startReceiver } from '../support/receiver.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { allowLoopback } from '../webhooks/webhook-service.js';
import { startConsole, type TestConsole } from './console-client.js';
import { addSamples, type SamplePages } from './sample-records.js';

const maxCommands = 12;
const organizationCount = 3_000;
const endpointCount = 1_000;
const countries = ['EG', 'AE', 'SA', 'KW', 'QA', 'BH', 'OM', 'JO', 'LB', 'IQ'];
/** Many organizations have a lead with this number, and a reservation with this id. */
const [sharedNumber, sharedId] = [424_242, 'deal-of-many'];
const sharingCount = 200;
const reads = new Set(['find', 'aggregate', 'count', 'distinct', 'getMore', 'hello', 'ping']);

let service: TestConsole;
let sample: SamplePages;
let deadEndpoint: string;

beforeAll(async () => {
  const [receiver, uri] = [await startReceiver(), randomDatabaseUri()];
  const worker = await startConsole({ ROLE: 'all', ...allowLoopback }, uri);
  sample = await addSamples(worker, receiver);
  await worker.stop();
  await receiver.stop();
  // Without background work, all commands are those of the pages.
  jest.spyOn(LeadPhoneKeys.prototype, 'start').mockReturnValue();
  service = await startConsole({}, uri);
  // The first form loads a page for its token.
  await service.post('/search');
  deadEndpoint = await addMany(service);
});
afterAll(() => service.stop());

/** Stores organizations with a key each, and failing endpoints with failed deliveries. @returns path of one */
async function addMany({ db }: TestConsole): Promise<string> {
  const ids = Array.from({ length: organizationCount }, () => new ObjectId());
  const now = new Date();
  await db.collection('organizations').insertMany(
    ids.map((_id, index) => ({
      _id,
      name: `Developer ${index}`,
      logo: '',
      apiDomain: '',
      settings: { phoneCountry: countries[index % countries.length] },
      isDeleted: false,
      createdAt: now,
      updatedAt: now,
    })),
  );
  const yesterday = new Date(now.getTime() - 30 * 3_600_000);
  const keys = ids.map((id, index) => ({
    ...conventions(id),
    name: `Key ${index}`,
    prefix: 'iapi_a',
    hash: String(index),
    permissions: { allowExternal: true },
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: yesterday,
  }));
  await db.collection('apiKeys').insertMany(keys);
  const at = new Date(Math.floor(yesterday.getTime() / 900_000) * 900_000);
  await db.collection('usage').insertMany(
    keys.flatMap(({ _id }) =>
      [0, 1, 2, 3, 4, 5].map((day) => ({
        at: new Date(at.getTime() - day * 86_400_000),
        apiKeyId: _id,
        route: 'POST /leads',
        calls: 3,
        refused: 1,
      })),
    ),
  );
  const sharing = ids.slice(0, sharingCount);
  await db
    .collection('leads')
    .insertMany(sharing.map((id) => ({ ...conventions(id), leadId: sharedNumber })));
  await db
    .collection('reservations')
    .insertMany(sharing.map((id) => ({ ...conventions(id), recordSystemId: sharedId })));
  const endpoints = ids.slice(0, endpointCount).map((id, index) => ({
    ...conventions(id),
    organizationId: id,
    url: `https://crm-${index}.example/hooks`,
    eventTypes: ['*'],
    isEnabled: true,
    disabledReason: null,
    secrets: [],
    failingSince: yesterday,
    pausedUntil: null,
  }));
  await db.collection('webhookEndpoints').insertMany(endpoints);
  await db.collection('webhookDeliveries').insertMany(
    endpoints.flatMap(({ _id, organizationId }) =>
      [1, 2, 3].map(() => ({
        ...conventions(organizationId),
        endpointId: _id,
        eventId: new ObjectId(),
        type: 'lead.created',
        objectId: null,
        bytes: 9,
        status: 'failed',
        failureReason: 'exhausted',
        round: 1,
        attempts: 10,
        nextAttemptAt: now,
        log: [],
        completedAt: now,
      })),
    ),
  );
  return `/webhooks/${String(endpoints[0]?._id)}`;
}

async function commandsOf(load: () => Promise<unknown>): Promise<string[]> {
  const client = service.service.app.get<Connection>(getConnectionToken()).getClient();
  const seen: string[] = [];
  const note = ({ commandName, command }: { commandName: string; command: object }) => {
    const [, collection] = Object.entries(command)[0] ?? [];
    if (reads.has(commandName)) seen.push(`${commandName} ${String(collection)}`);
  };
  client.on('commandStarted', note);
  await load();
  client.off('commandStarted', note);
  return seen;
}

const get = (path: () => string) => async () => {
  expect(await service.get(path())).toMatchObject({ status: 200 });
};
const find = (reference: () => string) => async () => {
  const { status } = await service.post('/search', { reference: reference() });
  expect([200, 303]).toContain(status);
};

it.each([
  ['overview', get(() => '')],
  ['overview of a week', get(() => '?range=week')],
  ['partners', get(() => '/partners')],
  ['silent partners', get(() => '/partners?show=silent&page=2')],
  ['partners by name', get(() => '/partners?text=developer%2012')],
  ['reducible keys', get(() => '/partners?show=reducible')],
  ['readers of the feed', get(() => '/partners?show=readers')],
  ['partner', get(() => sample.partner)],
  ['partner by code', get(() => `${sample.partner}?code=lead.not_found`)],
  ['webhooks', get(() => '/webhooks')],
  ['failing webhooks', get(() => '/webhooks?show=failing&text=crm-9')],
  ['endpoint', get(() => sample.endpoint)],
  ['failing endpoint', get(() => deadEndpoint)],
  ['delivery', get(() => sample.delivery)],
  ['lead', get(() => sample.lead)],
  ['reservation', get(() => sample.reservation)],
  ['unit', get(() => sample.unit)],
  ['operator log', get(() => '/log')],
  ['search by name', find(() => 'Developer 17')],
  ['search by nothing that exists', find(() => 'no such thing')],
  ['search by phone', find(() => '0100 123 9876')],
  ['search by number of many leads', find(() => String(sharedNumber))],
  ['search by id of many reservations', find(() => sharedId)],
  ['search by email', find(() => 'mona.farid@example.com')],
  ['search by URL', find(() => 'crm-17.example')],
  ['search by external id', find(() => 'deal-2026-0093')],
  ['search by request id', find(() => sample.refusedRequest)],
  ['search by unknown id', find(() => sample.unknownReservation)],
  ['search by id of a lead', find(() => sample.lead.split('/').at(-1) ?? '')],
])('the page "%s" asks at most 12 commands, among 3,000 organizations', async (name, load) => {
  const commands = await commandsOf(load);
  process.stdout.write(process.env['PRINT_COMMANDS'] ? `${name}: ${commands.length}\n` : '');
  expect(commands.length).toBeGreaterThan(0);
  if (commands.length > maxCommands) expect(commands).toEqual([]);
  // Results beyond the first batch would not be shown.
  expect(commands.filter((command) => command.startsWith('getMore'))).toEqual([]);
});
