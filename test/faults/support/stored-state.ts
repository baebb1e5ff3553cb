import { expect } from '@jest/globals';
import type { Db, Document, ObjectId } from 'mongodb';
import { range } from '../../support/counting.js';
import { eventually } from '../../support/eventually.js';
import type { KnownLead } from './lead-load.js';

/**
 * Expects that an organization has exactly the acknowledged changes of a load that was its only caller: each one once,
 * with one change log entry and one event.
 *
 * @param order whether all clocks that set the times of changes agreed
 */
export async function expectStored(
  db: Db,
  organizationId: ObjectId,
  known: readonly KnownLead[],
  order: 'in their order' | 'in any order',
): Promise<void> {
  const all = (collection: string) =>
    db.collection(collection).find({ organizationId }).sort({ createdAt: 1, _id: 1 }).toArray();
  const [leads = [], entries = [], events = [], clients = []] = await Promise.all(
    ['leads', 'changeLogs', 'outboxEvents', 'clients'].map(all),
  );
  const arrange = (rows: readonly [string, number][]) =>
    order === 'in their order' ? rows : rows.toSorted(([, one], [, other]) => one - other);
  const changeEntries = entries.filter(({ changes }) => changes.length > 0);
  const leadEvents = events.filter(({ type }) => type.startsWith('lead.'));
  const leadsOf = groupBy(leads, ({ data }) => data?.marker);
  const changesOf = groupBy(changeEntries, ({ entityId }) => entityId);
  const entriesOf = groupBy(entries, ({ entityId }) => entityId);
  const eventsOf = groupBy(leadEvents, ({ data }) => data._id);
  const found = known.map(({ marker, _id, recordSystemId, repetitions }) => {
    const changes = changesOf.get(_id) ?? [];
    // A repeated upsert may add an entry without changes (rule LEAD-12).
    const unchanged = (entriesOf.get(_id)?.length ?? 0) - changes.length;
    return {
      stored: leadsOf
        .get(marker)
        ?.map((one) => [String(one._id), one['recordSystemId'], one['leadId'], one['data'].step]),
      log: arrange(changes.map((entry) => [entry['context'], stepOf(entry)])),
      events: arrange((eventsOf.get(_id) ?? []).map(({ type, data }) => [type, data.data.step])),
      isRepeatedTooOften: unchanged > (recordSystemId === undefined ? 0 : repetitions),
    };
  });
  const steps = (create: string, update: string, last: number) =>
    range(last + 1).map((step) => [step === 0 ? create : update, step]);
  expect(found).toEqual(
    known.map(({ _id, recordSystemId, leadId, step }) => ({
      stored: [[_id, recordSystemId, leadId, step]],
      log: steps('External Lead Create', 'External Lead Update', step),
      events: steps('lead.created', 'lead.updated', step),
      isRepeatedTooOften: false,
    })),
  );
  const changes = known.reduce((sum, { step }) => sum + 1 + step, 0);
  expect({
    leads: leads.length,
    numbers: new Set(leads.map(({ leadId }) => leadId)).size,
    changes: changeEntries.length,
    events: events.length,
    leadEvents: leadEvents.length,
    clients: clients.length,
  }).toEqual({
    leads: known.length,
    numbers: known.length,
    changes,
    events: changes + known.length,
    leadEvents: changes,
    clients: known.length,
  });
}

/**
 * Waits until every event of an organization is delivered exactly once to its only endpoint.
 *
 * @param received the `webhook-id`s that the endpoint has received
 */
export async function expectDelivered(
  db: Db,
  organizationId: ObjectId,
  received: { has(id: string): boolean },
): Promise<void> {
  await eventually(async () => {
    const [events = [], deliveries = []] = await Promise.all(
      ['outboxEvents', 'webhookDeliveries'].map((name) =>
        db.collection(name).find({ organizationId }).toArray(),
      ),
    );
    const deliveriesOf = groupBy(deliveries, ({ eventId }) => eventId);
    const missing = events.filter(({ _id, sequence = null }) => {
      const [only, ...others] = deliveriesOf.get(String(_id)) ?? [];
      const isOnce = only?.['status'] === 'delivered' && others.length === 0;
      return sequence === null || !isOnce || !received.has(`msg_${String(_id)}`);
    });
    expect(missing.slice(0, 3)).toEqual([]);
  }, 120_000);
}

function stepOf({ changes }: Document): number {
  return changes.find(({ field }: Document) => field === 'data.step')?.to;
}

function groupBy(documents: readonly Document[], key: (document: Document) => unknown) {
  return Map.groupBy(documents, (document) => String(key(document)));
}
