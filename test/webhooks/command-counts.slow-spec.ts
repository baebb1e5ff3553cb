import { expect, it } from '@jest/globals';
import { type Document, ObjectId } from 'mongodb';
import { Types } from 'mongoose';
import { WebhookStatsService } from '../../src/webhooks/statistics/webhook-stats.service.js';
import { conventions } from '../support/builders.js';
import { profileCommands, wastefulCommands } from '../support/command-plans.js';
import { range } from '../support/counting.js';
import { useWebhooks } from './webhook-service.js';

const day = 86_400_000;

/** Without a worker, whose commands would be counted, too. */
const webhooks = useWebhooks({ ROLE: 'api' });
const { addDeliveries, addCounts, collection } = webhooks;
const endpoints = () => webhooks.service.endpoints;
const statistics = () => webhooks.service.service.app.get(WebhookStatsService);

/** Returns the commands on collections of webhooks, including a `getMore`. */
async function commandsOf(work: () => Promise<unknown>, allowed?: number): Promise<Document[]> {
  const commands = await profileCommands(webhooks.service.db, work);
  expect(wastefulCommands(commands, allowed)).toEqual([]);
  return commands.filter(({ ns }) => /\.webhook/.test(ns));
}

it('lists, searches, summaries and series cost a fixed number of commands', async () => {
  const waiting = { status: 'pending', nextAttemptAt: new Date(Date.now() + 365 * day) };
  const failing = { isEnabled: true, failingSince: new Date(), eventTypes: ['*'], url: 'x' };
  const ids = range(150).map(() => new ObjectId());
  await collection('webhookEndpoints').insertMany(
    ids.map((_id) => ({ ...conventions(webhooks.tenant.organizationId), ...failing, _id })),
  );
  for (const id of ids.slice(0, 3)) {
    await addDeliveries(id, 300, { status: 'delivered' });
    await addDeliveries(id, 50, { status: 'failed', replayRun: new Date() });
    await addDeliveries(id, 50, waiting);
  }
  for (const id of ids)
    await addCounts(
      id,
      range(3).map((age) => [age, 1, 1]),
    );
  const lists = await commandsOf(() => endpoints().listWithStats());
  expect(lists).toHaveLength(2);
  const searches = await commandsOf(() => endpoints().searchByUrl('x', 150));
  expect(searches).toHaveLength(1);
  const failures = await commandsOf(() => statistics().failingEndpoints(150));
  expect(failures).toHaveLength(1);
  const _id = new Types.ObjectId(ids[0]?.toHexString());
  const document = await endpoints().find(_id);
  if (document === null) throw new Error('The endpoint was deleted.');
  const summaries = await commandsOf(() => statistics().summaryOf(document));
  expect(summaries).toHaveLength(3);
  const since = new Date(Date.now() - day);
  const chart = () => statistics().attemptSeries({ since, unit: 'hour' });
  const charts = await commandsOf(chart, 3 * ids.length + 50);
  expect(charts).toHaveLength(1);
  const progress = await commandsOf(() =>
    webhooks.service.deliveries.progressSince(document, since),
  );
  expect(progress).toHaveLength(1);
  await collection('webhookDeliveries').deleteMany({ endpointId: { $in: ids } });
});
