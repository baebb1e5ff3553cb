import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { Types } from 'mongoose';
import type { Environment } from '../../src/core/configuration/environment.js';
import { readEnvironment } from '../../src/core/configuration/load-environment.js';
import { chapters, runDemo } from '../../src/development/demo/run-demo.js';
import { WebhookEndpointsService } from '../../src/webhooks/endpoints/webhook-endpoints.service.js';
import { runCliProcess } from '../operator/command-line.js';
import { toLoopback } from '../webhooks/webhook-service.js';
import { OPS_PASSWORD, startConsole } from '../console/console-client.js';
import { addTenant } from '../support/builders.js';
import { startReceiver } from '../support/receiver.js';
import { randomDatabaseUri, startTestService, type TestService } from '../support/test-service.js';

const wholeKey = /iapi_[\w-]{7,}/;

function environmentFor(uri: string, port: string, variables = {}): Environment {
  const own = { NODE_ENV: 'test', PORT: port, MONGODB_URI: uri, LOG_LEVEL: 'silent' };
  return readEnvironment({ ...own, ...variables });
}

/** Runs the demo to its end and gives the lines that it printed. */
async function linesOfDemo(environment: Environment): Promise<string[]> {
  const lines: string[] = [];
  await runDemo(environment, (line) => lines.push(line));
  return lines;
}

/** Keys that end by themselves, which are those of walks, and have not been revoked. */
async function usableKeys(client: MongoClient): Promise<number> {
  const ofWalks = { expiresAt: { $ne: null }, revokedAt: null };
  return client.db().collection('apiKeys').countDocuments(ofWalks);
}

/** For demos that end early. */
const otherDatabaseUri = randomDatabaseUri();

describe('the demo', () => {
  const databaseUri = randomDatabaseUri();
  let service: TestService;
  let client: MongoClient;
  beforeAll(async () => {
    client = await new MongoClient(databaseUri).connect();
  });
  afterAll(async () => {
    await client.close();
    await service.stop();
  });

  /** Expectations of each run, wherever its service runs. */
  const expectAllTold = async (lines: string[], runs: number, skipped = 0) => {
    const headings = chapters.map((title, index) => `${index + 1}. ${title}`);
    expect(lines).toEqual(expect.arrayContaining(headings));
    // The event of an erased person says nothing, which the demo explains.
    const explained = lines.findIndex((line) => line.includes('its data is empty'));
    expect(lines.slice(explained + 1).join('')).toMatch(/^ +> GET \S+events.*"?data"?: \{\}/);
    const total = chapters.length;
    const ending = new RegExp(
      skipped === 0
        ? `^All ${total} chapters went as expected, in \\d+ requests\\.$`
        : `^${total - 1} of ${total} chapters .* \\d+ requests; skipped: \\d+\\.$`,
    );
    expect(lines.at(-1)).toMatch(ending);
    expect(lines.filter((line) => line.length > 100 || line.includes('\n'))).toEqual([]);
    expect(lines.join('\n')).not.toMatch(wholeKey);
    const endpoints = client.db().collection('webhookEndpoints');
    expect(await endpoints.countDocuments({ removedAt: null })).toBe(0);
    expect(await usableKeys(client)).toBe(0);
    const organizations = client.db().collection('organizations');
    const walks = await organizations.find({ name: /walk/ }).toArray();
    expect(walks.map(({ isDeleted }) => isDeleted as boolean)).toEqual(Array(runs).fill(true));
  };

  it('runs every chapter when no service is running', async () => {
    const variables = { MONGODB_URI: databaseUri, PORT: '0', LOG_LEVEL: 'warn', ...toLoopback };
    const { code, stdout, stderr } = await runCliProcess(['demo'], variables);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await expectAllTold(stdout.trimEnd().split('\n'), 1);
    expect(stdout).toContain('(started for the demo)');
    expect(stdout).toMatch(/got msg_[0-9a-f]{24}, its signature is verified/);
  });

  it('uses a running service on the same database', async () => {
    service = await startTestService({ ROLE: 'all' }, databaseUri);
    const { port } = new URL(service.url);
    const lines = await linesOfDemo(environmentFor(databaseUri, port, toLoopback));
    await expectAllTold(lines, 2, 1);
    expect(lines.join('\n')).toContain(`http://127.0.0.1:${port}/external/apis/v1.0 (running`);
    expect(lines.join('\n')).toContain('Nothing may be sent to this machine');
    expect(service.logged()).toContain('"route":"/external/apis/v1.0/leads"');
  });

  it('keeps its organization for the console and prints the pages', async () => {
    const console = await startConsole({ ROLE: 'all' }, databaseUri);
    const { port: PORT } = new URL(console.url);
    const { port: OPS_PORT } = new URL(console.operations);
    const environment = readEnvironment({
      NODE_ENV: 'test',
      MONGODB_URI: databaseUri,
      LOG_LEVEL: 'silent',
      PORT,
      OPS_PORT,
      OPS_PASSWORD,
    });
    const lines = await linesOfDemo(environment);
    const pages = lines.flatMap((line) => /^ +(http:.*\/console(\/.*))$/.exec(line)?.[2] ?? []);
    expect(pages).toHaveLength(3);
    // Its worker would send what others have waiting too, so nothing but what is configured allows addresses.
    expect(lines.join('\n')).toContain('Nothing may be sent to this machine');
    const shown = await Promise.all(pages.map((page) => console.get(page)));
    expect(shown.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(shown[0]?.html).toContain('deal-1');
    expect(shown[0]?.html).toContain('This unit already reserved');
    expect(await usableKeys(client)).toBe(0);
    await console.stop();
  });

  it('sends pending deliveries of other organizations only when the configuration allows it', async () => {
    const uri = randomDatabaseUri();
    const receiver = await startReceiver();
    const other = await startTestService({ ROLE: 'api', ...toLoopback }, uri);
    const tenant = await addTenant(other.db);
    const organizationId = new Types.ObjectId(tenant.organizationId.toHexString());
    const url = { url: receiver.url, eventTypes: ['*'] };
    await other.service.app.get(WebhookEndpointsService).add(organizationId, url);
    await other.api('post', '/leads').set('api-key', tenant.key).send({ name: 'Mona' }).expect(201);
    await linesOfDemo(environmentFor(uri, '0'));
    const deliveries = other.db.collection('webhookDeliveries');
    const { organizationId: owner } = tenant;
    expect(await deliveries.distinct('log.error', { organizationId: owner })).toEqual([
      'it must start with https:// (WEBHOOKS_ALLOW_HTTP allows http://)',
    ]);
    expect(receiver.received).toEqual([]);
    await other.stop();
    await receiver.stop();
  });

  it('starts a service when the running one uses another database', async () => {
    const environment = environmentFor(otherDatabaseUri, new URL(service.url).port);
    const stopThere = (line: string) => {
      if (line.includes('(started for the demo)')) throw new Error(line);
    };
    await expect(runDemo(environment, stopThere)).rejects.toThrow('(started for the demo)');
  });
});

describe('the demo against a faulty service', () => {
  let server: Server;
  beforeAll(async () => {
    const health = { description: 'Integration API', ok: true, version: 'v1.0' };
    server = createServer((request, response) => {
      const isHealth = request.url?.endsWith('/healthz') === true;
      response.statusCode = isHealth ? 200 : 404;
      response.end(JSON.stringify(isHealth ? health : { message: 'Gone' }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
  });

  it('fails with one line that names chapter and response, and revokes the keys', async () => {
    const { port } = server.address() as AddressInfo;
    const demo = linesOfDemo(environmentFor(otherDatabaseUri, String(port)));
    await expect(demo).rejects.toThrow(
      /^Demo chapter 2 \(.+\): POST \S+\/leads: the status is 404 instead of 401.*$/,
    );
    const client = await new MongoClient(otherDatabaseUri).connect();
    expect(await usableKeys(client)).toBe(0);
    await client.close();
  });
});
