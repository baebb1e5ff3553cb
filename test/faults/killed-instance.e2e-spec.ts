import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { addTenant, mayReadEvents, type Tenant } from '../support/builders.js';
import { range } from '../support/counting.js';
import { eventually } from '../support/eventually.js';
import { startReceiver } from '../support/receiver.js';
import { isFull, rounds } from '../support/rounds.js';
import { allowLoopback } from '../webhooks/webhook-service.js';
import { startFaultDatabase } from './support/fault-database.js';
import { sendRoundRobin, startTwoInstances, type Urls } from './support/instances.js';
import { LeadLoad } from './support/lead-load.js';
import { randomNumbers, report } from './support/random.js';
import { expectDelivered } from './support/stored-state.js';
import { subscribe } from './support/subscription.js';

/** Another instance takes over numbering within this time (rule HOOK-9); a busy machine gets longer. */
const takeoverMs = 30_000;

const { db, uri } = await startFaultDatabase();

/** Reads a feed as a partner does: by `next`, waiting at the last event, from both instances in turn. */
function readFeed(urls: Urls, { key }: Tenant) {
  const events: Document[] = [];
  const send = sendRoundRobin(urls, key);
  let isStopped = false;
  const read = async () => {
    for (let next = 0; !isStopped;) {
      const path = `/events?after=${next}&limit=50&wait=1`;
      const { status, body } = await send({ method: 'GET', path });
      expect([0, 200, 503]).toContain(status);
      if (status !== 200) {
        await delay(50);
        continue;
      }
      const page = body as Document | undefined;
      events.push(...page?.['data']);
      next = page?.['next'];
    }
  };
  const reading = read();
  reading.catch(() => undefined);
  const stop = async () => {
    isStopped = true;
    await reading;
  };
  return { events, stop };
}

describe('two instances of which one is killed and restarted under load', () => {
  it('lose no change, store none twice or partially, and send each event by feed and webhook', async () => {
    const kills = rounds(2, 40);
    const plan = randomNumbers();
    const instances = await startTwoInstances({ MONGODB_URI: uri, ...allowLoopback });
    const ids = new Set<string>();
    const receiver = await startReceiver(({ headers }, response) => {
      ids.add(headers['webhook-id'] ?? '');
      response.writeHead(204).end();
    });
    const tenants: Tenant[] = [];
    for (let round = 1; round <= kills; round++) {
      // A round can be repeated alone: each report line names the seed to set as FAULT_SEED.
      const random = round === 1 ? plan : randomNumbers(plan.below(2 ** 31));
      const tenant = await addTenant(db, { key: mayReadEvents });
      const { organizationId } = tenant;
      tenants.push(tenant);
      await subscribe(uri, organizationId, receiver.url);
      const feed = readFeed(instances.urls, tenant);
      const load = new LeadLoad({ db, tenant, urls: instances.urls, random });
      load.start(12);
      await load.waitForChanges(20 + random.below(100));
      await delay(random.below(50));
      const victim = random.below(2);
      await instances.kill(victim);
      await load.waitForChanges(50);
      await instances.restart(victim);
      await load.waitForChanges(50);
      await load.stop();
      await load.expectConsistent();
      const outbox = db.collection('outboxEvents');
      await eventually(
        async () => expect(await outbox.countDocuments({ organizationId, sequence: null })).toBe(0),
        takeoverMs,
      );
      const stored = outbox.find({ organizationId }).sort({ sequence: 1 });
      const expected = (await stored.toArray()).map(({ _id }, index) => [
        index + 1,
        `msg_${_id.toHexString()}`,
      ]);
      await eventually(
        () => expect(feed.events.length).toBeGreaterThanOrEqual(expected.length),
        takeoverMs,
      );
      await feed.stop();
      expect(feed.events.map(({ sequence, id }) => [sequence, id])).toEqual(expected);
      const leadEvents = feed.events.filter(({ type }) => type.startsWith('lead.'));
      const stepsOf = Map.groupBy(leadEvents, ({ data }) => data.data.marker as string);
      for (const { marker, step } of load.leads) {
        const steps = stepsOf.get(marker)?.map(({ data }) => data.data.step);
        expect({ marker, steps }).toEqual({ marker, steps: range(step + 1) });
      }
    }
    const startedAt = performance.now();
    // A killed process keeps its deliveries leased for a minute (rule HOOK-8). Only the full run waits for that.
    const end = { $set: { leasedUntil: new Date(0) } };
    if (!isFull) await db.collection('webhookEndpoints').updateMany({}, end);
    for (const { organizationId } of tenants) await expectDelivered(db, organizationId, ids);
    const events = await db.collection('outboxEvents').find().toArray();
    expect(ids).toEqual(new Set(events.map(({ _id }) => `msg_${_id.toHexString()}`)));
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    report(`${kills} kills, every event delivered ${seconds} s after the load`);
    await receiver.stop();
  });
});
