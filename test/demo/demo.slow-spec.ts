import { afterAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { Types } from 'mongoose';
import type { Environment } from '../../src/core/configuration/environment.js';
import { readEnvironment } from '../../src/core/configuration/load-environment.js';
import { runDemo, steps } from '../../src/development/demo/run-demo.js';
import { WebhookEndpointsService } from '../../src/webhooks/endpoints/webhook-endpoints.service.js';
import { runCliProcess } from '../operator/command-line.js';
import { allowLoopback } from '../webhooks/webhook-service.js';
import { documentedOperations } from '../support/operations.js';
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
  it('calls every operation and removes what it added', async () => {
    const called = steps.map(({ request: { method, path } }) => ({ method, path }));
    expect(called).toHaveLength(documentedOperations().length);
    for (const { method, path } of documentedOperations()) {
      const pattern = new RegExp(`^${path.slice(1).replaceAll(/{\w+}/g, '[^/?]+')}(\\?|$)`);
      expect(called.filter((one) => one.method === method && pattern.test(one.path))).not.toEqual(
        [],
      );
    }
    const variables = { MONGODB_URI: databaseUri, LOG_LEVEL: 'warn' };
    const { code, stdout, stderr } = await runCliProcess(['demo'], variables);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.at(-1)).toBe(`All ${steps.length} operations responded as expected.`);
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
    expect(stdout).not.toMatch(/iapi_[\w-]{7,}/);
    expect(await countUsableKeys()).toBe(0);
    const runs = db.collection('organizations').find({ name: /demo run/ });
    expect(await runs.toArray()).toMatchObject([{ isDeleted: true }]);
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

  it('fails with one line that names the request and its response, and revokes the keys', async () => {
    const limits = { RATE_LIMIT_RPS: '1', RATE_LIMIT_BURST: '1' };
    await expect(demoOutput(environmentFor(databaseUri, limits))).rejects.toThrow(
      /^POST \S+\/leads\S*: the status is 429 instead of 20\d .*$/,
    );
    expect(await countUsableKeys()).toBe(0);
  });
});
