import { afterAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { Types } from 'mongoose';
import type { Environment } from '../../src/core/configuration/environment.js';
import { readEnvironment } from '../../src/core/configuration/load-environment.js';
import { chapters, runDemo } from '../../src/development/demo/run-demo.js';
import { WebhookEndpointsService } from '../../src/webhooks/endpoints/webhook-endpoints.service.js';
import { runCliProcess } from '../operator/command-line.js';
import { allowLoopback } from '../webhooks/webhook-service.js';
import { OPS_PASSWORD, startConsole } from '../console/console-client.js';
import { startReceiver } from '../support/receiver.js';
import { randomDatabaseUri, startTestService } from '../support/test-service.js';

const databaseUri = randomDatabaseUri();
const client = new MongoClient(databaseUri);
const db = client.db();
afterAll(() => client.close());

function environmentFor(MONGODB_URI: string, variables = {}): Environment {
  return readEnvironment({ NODE_ENV: 'test', MONGODB_URI, LOG_LEVEL: 'silent', ...variables });
}

async function demoOutput(environment: Environment): Promise<string[]> {
  const lines: string[] = [];
  await runDemo(environment, (line) => lines.push(line));
  return lines;
}

/** Counts unrevoked keys of demo runs. Only these keys have an expiry. */
const countUsableKeys = () =>
  db.collection('apiKeys').countDocuments({ expiresAt: { $ne: null }, revokedAt: null });

describe('the demo', () => {
  it('runs every chapter and removes what it added', async () => {
    const variables = { MONGODB_URI: databaseUri, LOG_LEVEL: 'warn' };
    const { code, stdout, stderr } = await runCliProcess(['demo'], variables);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    const headings = chapters.map((title, index) => `${index + 1}. ${title}`);
    expect(lines).toEqual(expect.arrayContaining(headings));
    // The event of the erased person has no data, which the demo explains.
    const explanation = lines.findIndex((line) => line.includes('its data is empty'));
    expect(lines.slice(explanation + 1).join('')).toMatch(/^ +> GET \S+events.*"data": \{\}/);
    const last = `^All ${chapters.length} chapters passed, with \\d+ requests\\.$`;
    expect(lines.at(-1)).toMatch(new RegExp(last));
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
    expect(stdout).not.toMatch(/iapi_[\w-]{7,}/);
    expect(stdout).toMatch(/got msg_[0-9a-f]{24}, its signature is verified/);
    expect(await db.collection('webhookEndpoints').countDocuments({ removedAt: null })).toBe(0);
    expect(await countUsableKeys()).toBe(0);
    const runs = db.collection('organizations').find({ name: /walk/ });
    expect(await runs.toArray()).toMatchObject([{ isDeleted: true }]);
  });

  it('keeps its organization for the console and prints the pages', async () => {
    const console = await startConsole({ ROLE: 'all' }, databaseUri);
    const { port: OPS_PORT } = new URL(console.operations);
    const lines = await demoOutput(environmentFor(databaseUri, { OPS_PORT, OPS_PASSWORD }));
    const pages = lines.flatMap((line) => /^ +(http:.*\/console(\/.*))$/.exec(line)?.[2] ?? []);
    expect(pages).toHaveLength(3);
    // The worker of the console's service may not send to this machine.
    expect(lines.join('\n')).toMatch(/got msg_[0-9a-f]{24}, its signature is verified/);
    expect(lines).toContainEqual(
      expect.stringMatching(/^All \d+ chapters passed, with \d+ requests/),
    );
    const [first] = await Promise.all(pages.map((page) => console.text(page)));
    expect(first).toContain('deal-1');
    expect(first).toContain('This unit already reserved');
    expect(await countUsableKeys()).toBe(0);
    await console.stop();
  });

  it('skips nothing while services run that may not send to this machine', async () => {
    const uri = randomDatabaseUri();
    const services = await Promise.all([1, 2, 3].map(() => startTestService({ ROLE: 'all' }, uri)));
    const lines = await demoOutput(environmentFor(uri));
    expect(lines.at(-1)).toMatch(/^All \d+ chapters passed, with \d+ requests\.$/);
    const deliveries = services[0]?.db.collection('webhookDeliveries');
    expect(await deliveries?.distinct('status')).toEqual(['delivered']);
    await Promise.all(services.map((each) => each.stop()));
  });

  it('shows the webhook about its own lead when earlier leads get their numbers late', async () => {
    const held = { owner: 'a killed process', until: new Date(Date.now() + 6_000) };
    const leases = db.collection('leases');
    await leases.updateOne({ name: 'event-relay' }, { $set: held }, { upsert: true });
    const lines = await demoOutput(environmentFor(databaseUri));
    expect(lines.join('\n')).toMatch(/got msg_[0-9a-f]{24}, its signature is verified/);
  });

  it('sends no pending deliveries of other organizations', async () => {
    const uri = randomDatabaseUri();
    const receiver = await startReceiver();
    const other = await startTestService(allowLoopback, uri);
    const { organizationId, post } = await other.addTenant();
    const id = new Types.ObjectId(organizationId.toHexString());
    const fields = { url: receiver.url, eventTypes: ['*'] };
    await other.service.app.get(WebhookEndpointsService).add(id, fields);
    await post('/leads', { name: 'Mona' }).expect(201);
    await demoOutput(environmentFor(uri));
    const deliveries = other.db.collection('webhookDeliveries');
    expect(await deliveries.distinct('status', { organizationId })).toEqual(['pending']);
    expect(receiver.received).toEqual([]);
    await other.stop();
    await receiver.stop();
  });

  it('fails with one line that names chapter and response, and revokes the keys', async () => {
    const limits = { RATE_LIMIT_RPS: '1', RATE_LIMIT_BURST: '1' };
    await expect(demoOutput(environmentFor(databaseUri, limits))).rejects.toThrow(
      /^Demo chapter \d+ \(.+\): POST \S+\/leads: the status is 429 instead of [24]0\d.*$/,
    );
    expect(await countUsableKeys()).toBe(0);
  });
});
