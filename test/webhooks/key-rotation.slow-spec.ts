import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { Types } from 'mongoose';
import { Webhook } from 'standardwebhooks';
import { unseal, seal } from '../../src/core/secrets/secret-box.js';
import { type NeededKey, SecretKeys } from '../../src/webhooks/endpoints/secret-keys.js';
import { runCli, runJson } from '../operator/command-line.js';
import { addTenant, conventions, type Tenant } from '../support/builders.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { startWebhookService, allowLoopback, type WebhookService } from './webhook-service.js';

const [older, newer] = [randomBytes(32), randomBytes(32)];
const listOf = (...keys: readonly Buffer[]) => keys.map((key) => key.toString('base64')).join();
const keyLists = { older: listOf(older), both: listOf(newer, older), newer: listOf(newer) };

const databaseUri = randomDatabaseUri();
const start = (ENCRYPTION_KEYS: string) => startWebhookService({ ENCRYPTION_KEYS }, databaseUri);
const variables = (ENCRYPTION_KEYS: string) => ({
  MONGODB_URI: databaseUri,
  ENCRYPTION_KEYS,
  ...allowLoopback,
});

let receiver: Receiver;
let tenant: Tenant;
let instance: WebhookService;
beforeAll(async () => {
  instance = await start(keyLists.older);
  tenant = await addTenant(instance.db);
  receiver = await startReceiver();
});
afterAll(async () => {
  await instance.stop();
  await receiver.stop();
});

const organization = () => tenant.organizationId.toHexString();
const endpoints = () => instance.db.collection('webhookEndpoints');

describe('a change of ENCRYPTION_KEYS', () => {
  it('keeps every webhook verifiable with the same secret, even while instances differ', async () => {
    const { secret } = await instance.subscribe(tenant, receiver.url, ['lead.*']);
    const { key, signingSecret } = await runJson<{ key: string; signingSecret: string }>(
      [...'key issue --name Collector --for collector --signed --org'.split(' '), organization()],
      variables(keyLists.older),
    );
    let sent = 0;
    const createLeads = async (...services: readonly WebhookService[]) => {
      await Promise.all([...services, ...services].map((service) => service.createLead(tenant)));
      sent += 2 * services.length;
      await receiver.receivedRequests(sent);
    };
    const statusWith = async (keys: string) => {
      const { code, stdout } = await runCli(['db', 'status', '--json'], variables(keys));
      return [code, (JSON.parse(stdout) as { encryptionKeys: NeededKey[] }).encryptionKeys];
    };
    await createLeads(instance);
    const withBoth = await start(keyLists.both);
    await createLeads(instance, withBoth);
    const oldKey = { key: expect.any(String), secrets: 2, state: 'missing' };
    expect(await statusWith(keyLists.newer)).toEqual([1, [oldKey]]);
    const { stdout: table } = await runCli(['db', 'status'], variables(keyLists.newer));
    expect(table).toMatch(/An encryption key is missing: add it to ENCRYPTION_KEYS\.\n$/);

    await instance.stop();
    instance = withBoth;
    const [outcome] = await Promise.all([
      runJson<object>(['webhook', 'reseal'], variables(keyLists.both)),
      createLeads(withBoth),
    ]);
    const newKey = { key: expect.stringMatching(/^[0-9a-f]{8}$/), secrets: 2, state: 'newest' };
    expect(outcome).toEqual({ resealed: 2, unopened: [], keys: [newKey] });

    instance = await start(keyLists.newer);
    await createLeads(withBoth, instance);
    await withBoth.stop();
    await createLeads(instance);
    expect(await statusWith(keyLists.newer)).toEqual([0, [newKey]]);
    // A 404 shows that the signature was accepted: the reservation does not exist.
    const report = { reservationId: new ObjectId(), reservationStatus: 'approved' };
    const [id, now, body] = [randomUUID(), new Date(), JSON.stringify(report)];
    await instance
      .api('post', '/reservations/webhook')
      .set({ 'api-key': key, 'content-type': 'application/json', 'webhook-id': id })
      .set('webhook-timestamp', String(Math.floor(now.getTime() / 1_000)))
      .set('webhook-signature', new Webhook(signingSecret).sign(id, now, body))
      .send(body)
      .expect(404);

    expect(receiver.received).toHaveLength(sent);
    for (const request of receiver.received) {
      new Webhook(secret).verify(request.body, request.headers);
    }
    const failed = { log: { $elemMatch: { statusCode: { $ne: 204 } } } };
    expect(await instance.db.collection('webhookDeliveries').countDocuments(failed)).toBe(0);
  });
});

describe('webhook reseal', () => {
  /** Stores endpoints whose secrets are sealed with the older key. Each also has an expired secret. */
  const addSealedEndpoints = async (count: number) => {
    const added = Array.from({ length: count }, (_, index) => {
      const _id = new ObjectId();
      const sealedBy = (key: Buffer, expiresAt: Date | null) => ({
        sealed: seal(`whsec_${index}`, [key], _id.toHexString()),
        createdAt: new Date(),
        expiresAt,
      });
      return {
        ...conventions(tenant.organizationId),
        _id,
        url: receiver.url,
        eventTypes: [],
        isEnabled: true,
        secrets: [sealedBy(older, null), sealedBy(randomBytes(32), new Date(0))],
      };
    });
    await endpoints().insertMany(added);
    return added.map(({ _id }) => new Types.ObjectId(_id.toHexString()));
  };
  /** Opens the unexpired secrets with the newer key alone. */
  const openSecrets = async (_id: Types.ObjectId) => {
    const stored = await endpoints().findOne({ _id });
    const secrets = stored?.['secrets'] as { sealed: string; expiresAt: Date | null }[];
    return secrets
      .filter(({ expiresAt }) => expiresAt === null || expiresAt > new Date())
      .map(({ sealed }) => unseal(sealed, [newer], _id.toHexString()));
  };

  it('continues after an interruption, concurrently with other runs, rotations and removals', async () => {
    const withBoth = await start(keyLists.both);
    const ids = await addSealedEndpoints(250);
    const secretKeys = withBoth.service.app.get(SecretKeys);
    const interrupted = secretKeys.reseal((done) => {
      if (done >= 100) throw new Error('interrupted');
    });
    await expect(interrupted).rejects.toThrow('interrupted');
    const left =
      (await secretKeys.neededKeys()).find(({ state }) => state === 'listed')?.secrets ?? 0;
    expect([left > 0, left < 250]).toEqual([true, true]);

    const [kept, removed, rotated] = [ids.slice(0, 220), ids.slice(220, 230), ids.slice(230)];
    const [outcomes] = await Promise.all([
      Promise.all([1, 2, 3].map(() => secretKeys.reseal(() => undefined))),
      ...rotated.map((id) => withBoth.endpoints.rotateSecret(id, 3_600_000)),
      ...removed.map((id) => withBoth.endpoints.remove(id)),
    ]);
    const total = outcomes.reduce((sum, { resealed }) => sum + resealed, 0);
    // Exactly one run reseals each secret, unless the secret is removed first.
    expect(total).toBeGreaterThanOrEqual(left - removed.length);
    expect(total).toBeLessThanOrEqual(left);
    expect(outcomes.flatMap(({ unopened }) => unopened)).toEqual([]);
    const secretsOf = (some: readonly Types.ObjectId[]) => Promise.all(some.map(openSecrets));
    const originals = ids.map((_id, index) => [`whsec_${index}`]);
    expect(await secretsOf(kept)).toEqual(originals.slice(0, 220));
    expect((await secretsOf(removed)).flat()).toEqual([]);
    const rotatedSecrets = await secretsOf(rotated);
    expect(rotatedSecrets.map(([, ...old]) => old)).toEqual(originals.slice(230));
    expect(await secretKeys.neededKeys()).toMatchObject([{ state: 'newest' }]);
    await withBoth.stop();
  });

  it('reports secrets with a missing key by key id, and seals all others', async () => {
    const foreign = randomBytes(32);
    const [_id, other] = (await addSealedEndpoints(2)) as [Types.ObjectId, Types.ObjectId];
    const endpointId = _id.toHexString();
    const sealed = seal('whsec_x', [foreign], endpointId);
    await endpoints().updateOne({ _id }, { $set: { 'secrets.0.sealed': sealed } });
    const run = await runCli(['webhook', 'reseal', '--json'], variables(keyLists.both));
    const key = sealed.split('.')[1];
    const reason = `The key ${key} is missing in ENCRYPTION_KEYS: add it at the end.`;
    expect([run.code, run.stderr, JSON.parse(run.stdout)]).toEqual([
      1,
      '',
      {
        resealed: 1,
        unopened: [{ endpointId, organizationId: organization(), key, reason }],
        keys: expect.arrayContaining([{ key, secrets: 1, state: 'missing' }]),
      },
    ]);
    expect(await openSecrets(other)).toEqual(['whsec_1']);
    const again = await runCli(['webhook', 'reseal'], variables(keyLists.both));
    expect(again.code).toBe(1);
    expect(again.stdout).toMatch(/^Sealed with the newest key: 0\n/);
    expect(again.stdout).toContain(`The key ${key}`);
    const shown = JSON.stringify([run, again]);
    for (const secret of [older, newer, foreign]) {
      expect(shown).not.toContain(secret.toString('base64').slice(0, 12));
    }
  });
});
