import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { Types } from 'mongoose';
import { Webhook } from 'standardwebhooks';
import { open, seal } from '../../src/core/secrets/secret-box.js';
import { type NeededKey, SecretKeys } from '../../src/webhooks/endpoints/secret-keys.js';
import { runCli, runJson } from '../operator/command-line.js';
import { addTenant, conventions, type Tenant } from '../support/builders.js';
import { type Received, type Receiver, startReceiver } from '../support/receiver.js';
import { basePath } from '../support/shared-service.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { startWebhookService, toLoopback, type WebhookService } from './webhook-service.js';

interface Status {
  readonly encryptionKeys: readonly NeededKey[];
}

interface Outcome {
  readonly resealed: number;
  readonly unopened: readonly { readonly endpointId: string; readonly key: string }[];
  readonly keys: readonly NeededKey[];
}

const [older, newer] = [randomBytes(32), randomBytes(32)];
const lists = {
  older: older.toString('base64'),
  both: [newer, older].map((key) => key.toString('base64')).join(','),
  newer: newer.toString('base64'),
};

const databaseUri = randomDatabaseUri();
let receiver: Receiver;
let tenant: Tenant;

const start = (ENCRYPTION_KEYS: string) => startWebhookService({ ENCRYPTION_KEYS }, databaseUri);
const variables = (ENCRYPTION_KEYS: string) => ({
  MONGODB_URI: databaseUri,
  ENCRYPTION_KEYS,
  ...toLoopback,
});
const organization = () => tenant.organizationId.toHexString();

interface SignedKey {
  readonly key: string;
  readonly signingSecret: string;
}

/** The status of a signed callback about a reservation that does not exist. */
async function signedCallback({ url }: WebhookService, { key, signingSecret }: SignedKey) {
  const body = JSON.stringify({ reservationId: new ObjectId(), reservationStatus: 'approved' });
  const [id, now] = [randomUUID(), new Date()];
  const { status } = await fetch(`${url}/${basePath}/reservations/webhook`, {
    method: 'POST',
    headers: {
      'api-key': key,
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': new Webhook(signingSecret).sign(id, now, body),
    },
    body,
  });
  return status;
}

const isGenuine = (secret: string, { body, headers }: Received): boolean => {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
};

let instance: WebhookService;
beforeAll(async () => {
  instance = await start(lists.older);
  tenant = await addTenant(instance.db);
  receiver = await startReceiver();
});
afterAll(async () => {
  await instance.stop();
  await receiver.stop();
});

describe('a change of ENCRYPTION_KEYS', () => {
  it('keeps every webhook verifiable with the same secret, even while instances differ', async () => {
    const { secret } = await instance.subscribe(tenant, receiver.url, ['lead.*']);
    const collector = await runJson<SignedKey>(
      [...'key issue --name Collector --for collector --signed --org'.split(' '), organization()],
      variables(lists.older),
    );
    let sent = 0;
    const createLeads = async (...services: readonly WebhookService[]) => {
      await Promise.all([...services, ...services].map((service) => service.createLead(tenant)));
      sent += 2 * services.length;
      await receiver.receivedRequests(sent);
    };
    const statusWith = async (keys: string) => {
      const { code, stdout } = await runCli(['db', 'status', '--json'], variables(keys));
      return [code, (JSON.parse(stdout) as Status).encryptionKeys];
    };
    await createLeads(instance);

    const withBoth = await start(lists.both);
    await createLeads(instance, withBoth);
    const [, [needed]] = (await statusWith(lists.both)) as [number, NeededKey[]];
    expect(needed).toEqual({ key: expect.any(String), secrets: 2, state: 'listed' });
    expect(await statusWith(lists.newer)).toEqual([1, [{ ...needed, state: 'missing' }]]);

    await instance.stop();
    instance = withBoth;
    const [outcome] = await Promise.all([
      runJson<Outcome>(['webhook', 'reseal'], variables(lists.both)),
      createLeads(withBoth),
    ]);
    const [key] = outcome.keys;
    expect(outcome).toEqual({
      resealed: 2,
      unopened: [],
      keys: [{ key: expect.stringMatching(/^[0-9a-f]{8}$/), secrets: 2, state: 'newest' }],
    });
    expect(key?.key).not.toBe(needed?.key);

    const withNewer = await start(lists.newer);
    await createLeads(withBoth, withNewer);
    await withBoth.stop();
    instance = withNewer;
    await createLeads(withNewer);
    expect(await statusWith(lists.newer)).toEqual([0, [key]]);
    expect(await signedCallback(withNewer, collector)).toBe(404);

    expect(receiver.received).toHaveLength(sent);
    expect(receiver.received.filter((received) => !isGenuine(secret, received))).toEqual([]);
    const failed = { log: { $elemMatch: { statusCode: { $ne: 204 } } } };
    expect(await instance.db.collection('webhookDeliveries').find(failed).toArray()).toEqual([]);
  });
});

describe('webhook reseal', () => {
  /** Stores endpoints whose secrets are sealed with the older key, one of them expired. */
  const addSealed = async (count: number) => {
    const endpoints = Array.from({ length: count }, (_, index) => {
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
    await instance.db.collection('webhookEndpoints').insertMany(endpoints);
    return endpoints.map(({ _id }) => new Types.ObjectId(_id.toHexString()));
  };
  /** The secrets that sign, opened with the newer key alone. */
  const opened = async (id: Types.ObjectId) => {
    const stored = await instance.db
      .collection('webhookEndpoints')
      .findOne<{ secrets: { sealed: string; expiresAt: Date | null }[] }>({
        _id: new ObjectId(id.toHexString()),
      });
    return (stored?.secrets ?? [])
      .filter(({ expiresAt }) => expiresAt === null || expiresAt > new Date())
      .map(({ sealed }) => open(sealed, [newer], id.toHexString()));
  };

  it('continues after an interruption, concurrently with other runs, rotations and removals', async () => {
    const withBoth = await start(lists.both);
    const ids = await addSealed(250);
    const secretKeys = withBoth.service.app.get(SecretKeys);
    const cut = secretKeys.reseal((done) => {
      if (done >= 100) throw new Error('cut short');
    });
    await expect(cut).rejects.toThrow('cut short');
    const left = (await secretKeys.needed()).find(({ state }) => state === 'listed')?.secrets ?? 0;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(250);

    const shown: (readonly [number, number])[] = [];
    const [rotated, removed] = [ids.slice(-20), ids.slice(-30, -20)];
    const [outcomes] = await Promise.all([
      Promise.all(
        [1, 2, 3].map(() => secretKeys.reseal((done, total) => shown.push([done, total]))),
      ),
      ...rotated.map((id) => withBoth.endpoints.rotateSecret(id, 3_600_000)),
      ...removed.map((id) => withBoth.endpoints.remove(id)),
    ]);
    const { length: resealedNow } = ids;
    const total = outcomes.reduce((sum, { resealed }) => sum + resealed, 0);
    // Each once, whichever run was first; a secret that was removed first, not at all.
    expect(total).toBeGreaterThanOrEqual(left - removed.length);
    expect(total).toBeLessThanOrEqual(left);
    expect(outcomes.flatMap(({ unopened }) => unopened)).toEqual([]);
    expect(shown.every(([done, all]) => done <= all)).toBe(true);
    const secrets = await Promise.all(ids.map(opened));
    for (const [index, texts] of secrets.entries()) {
      const isRemoved = index >= resealedNow - 30 && index < resealedNow - 20;
      const original = isRemoved ? [] : [`whsec_${index}`];
      expect(texts.slice(index >= resealedNow - 20 ? 1 : 0)).toEqual(original);
    }
    expect(await secretKeys.needed()).toMatchObject([{ state: 'newest' }]);
    await withBoth.stop();
  });

  it('reports secrets with a missing key by key id, and seals all others', async () => {
    const foreign = randomBytes(32);
    const [foreignId, other] = (await addSealed(2)) as [Types.ObjectId, Types.ObjectId];
    const sealed = seal('whsec_x', [foreign], foreignId.toHexString());
    await instance.db
      .collection('webhookEndpoints')
      .updateOne(
        { _id: new ObjectId(foreignId.toHexString()) },
        { $set: { 'secrets.0.sealed': sealed } },
      );
    const run = await runCli(['webhook', 'reseal', '--json'], variables(lists.both));
    expect(run).toMatchObject({ code: 1, stderr: '' });
    const { resealed, unopened, keys } = JSON.parse(run.stdout) as Outcome;
    const key = sealed.split('.')[1];
    expect([resealed, unopened]).toEqual([
      1,
      [
        {
          endpointId: foreignId.toHexString(),
          organizationId: tenant.organizationId.toHexString(),
          key,
          reason: `The key ${key} is missing in ENCRYPTION_KEYS: add it at the end.`,
        },
      ],
    ]);
    expect(keys).toContainEqual({ key, secrets: 1, state: 'missing' });
    expect(await opened(other)).toEqual(['whsec_1']);

    const again = await runCli(['webhook', 'reseal'], variables(lists.both));
    expect(again.code).toBe(1);
    expect(again.stdout).toMatch(/^Sealed with the newest key: 0\n/);
    expect(again.stdout).toContain(`The key ${key}`);
    const shown = JSON.stringify([run, again]);
    for (const secret of [older, newer, foreign]) {
      expect(shown).not.toContain(secret.toString('base64').slice(0, 12));
    }
  });
});
