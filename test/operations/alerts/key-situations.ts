import { ObjectId } from 'mongodb';
import { addKey, addTenant } from '../../support/builders.js';
import { randomDatabaseUri } from '../../support/test-service.js';
import { addCalls, dayMs } from '../../usage/usage-service.js';
import type { Situation } from './situation.js';
import { startObserved, Timeline } from './timeline.js';

const minutes = (count: number) => (count * 60_000) / dayMs;

/** After two and a half minutes a key has made no call for a day, and another key expires within 14 days. */
export async function silentAndExpiringKeys(): Promise<Situation> {
  const service = await startObserved(randomDatabaseUri());
  const { db } = service;
  const timeline = new Timeline([service]);
  const { organizationId } = await addTenant(db);
  const [silent, expiring] = [new ObjectId(), new ObjectId()];
  await addKey(db, organizationId, { _id: silent });
  const expiresAt = new Date(timeline.start + (14 + minutes(3.5)) * dayMs);
  await addKey(db, organizationId, { _id: expiring, expiresAt });
  await addCalls(db, silent, [1 - minutes(3.5), 2, 3, 4, 5]);
  await addCalls(db, expiring, [0.1]);
  await timeline.pass(20);
  await service.stop();
  return {
    name: 'a key in regular use becomes silent, and a key in use is about to expire',
    recording: timeline.recording,
    since: 2,
    fires: [
      { alert: 'PartnerSilent', summary: /^1 keys in regular use have made no call for a day$/ },
      { alert: 'KeyExpiring', summary: /^1 keys in use expire within 14 days$/ },
    ],
  };
}
