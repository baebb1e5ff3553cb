import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { addTenant, mayReadEvents } from '../support/builders.js';
import { range } from '../support/counting.js';
import { eventually } from '../support/eventually.js';
import { startReceiver } from '../support/receiver.js';
import { isFull, rounds } from '../support/rounds.js';
import { toLoopback } from '../webhooks/webhook-service.js';
import { useFaultDatabase } from './support/fault-database.js';
import { expectAllRead, FeedReader, stepsOf } from './support/feed-reader.js';
import { Instances } from './support/instances.js';
import { LeadLoad } from './support/lead-load.js';
import { randomNumbers, report } from './support/random.js';
import { undelivered } from './support/stored-state.js';
import { subscribe } from './support/subscription.js';

/** A killed process keeps its deliveries for the minute of their lease (rule HOOK-8). */
const leaseMs = 60_000;
/** Until another instance takes over numbering (rule HOOK-9), with tolerance for a busy machine. */
const takeoverMs = 30_000;

const database = useFaultDatabase();

describe('two instances, one of them killed and restarted under load', () => {
  it('lose no change, store none twice or partially, and send each event by feed and webhook', async () => {
    const { db, uri } = database;
    const kills = rounds(2, 40);
    const plan = randomNumbers();
    const instances = await Instances.startTwo({ MONGODB_URI: uri, ...toLoopback });
    const ids = new Set<string>();
    const receiver = await startReceiver(({ headers }, response) => {
      ids.add(headers['webhook-id'] ?? '');
      response.writeHead(204).end();
    });
    const tenants = [];
    for (let round = 1; round <= kills; round++) {
      // Each round can be run again alone: FAULT_SEED is that of its line.
      const random = round === 1 ? plan : randomNumbers(plan.below(2 ** 31));
      const tenant = await addTenant(db, { key: mayReadEvents });
      tenants.push(tenant);
      await subscribe(uri, tenant.organizationId, receiver.url);
      const reader = new FeedReader(instances.urls, tenant);
      const load = new LeadLoad({ db, tenant, urls: instances.urls, random });
      load.start(12);
      await load.further(20 + random.below(100));
      await delay(random.below(50));
      const victim = random.below(2);
      await instances.kill(victim);
      await load.further(50);
      await instances.restart(victim);
      await load.further(50);
      await load.stop();
      report(`round ${round}, ${load.summary}`);
      expect(await load.wrongs()).toEqual([]);
      await expectAllRead(db, tenant.organizationId, reader, takeoverMs);
      for (const { marker, step } of load.leads) {
        const steps = stepsOf(marker, reader.events);
        expect({ marker, steps }).toEqual({ marker, steps: range(step + 1) });
      }
    }
    const startedAt = performance.now();
    // As if the minute of the leases were over, for which the long form waits.
    const end = { $set: { leasedUntil: new Date(0) } };
    if (!isFull) await db.collection('webhookEndpoints').updateMany({}, end);
    for (const { organizationId } of tenants) {
      await eventually(async () => {
        expect((await undelivered(db, organizationId, ids)).slice(0, 3)).toEqual([]);
      }, 2 * leaseMs);
    }
    const events = await db.collection('outboxEvents').find().toArray();
    expect(ids).toEqual(new Set(events.map(({ _id }) => `msg_${_id.toHexString()}`)));
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    report(`${kills} kills, every event delivered ${seconds} s after the load`);
    await receiver.stop();
  });
});
