import type { Db, Document, ObjectId } from 'mongodb';
import type { KnownLead } from './lead-load.js';

/**
 * Compares what is stored of an organization, whose only caller was a load that has finished, with what
 * was acknowledged to it.
 *
 * @param order whether the clocks that set their times agreed
 * @returns every difference in words; none when each acknowledged change is there once, with one entry
 *   of the change log and one event each in their order, and nothing else is there; a repeated upsert may
 *   have an entry that says that nothing changed (rule LEAD-12)
 */
export async function differences(
  db: Db,
  organizationId: ObjectId,
  known: readonly KnownLead[],
  order: 'in their order' | 'in any order' = 'in their order',
): Promise<string[]> {
  const all = (collection: string) =>
    db.collection(collection).find({ organizationId }).sort({ createdAt: 1, _id: 1 }).toArray();
  const arrange = (rows: [unknown, unknown][]) =>
    order === 'in their order' ? rows : rows.toSorted(([, a], [, b]) => Number(a) - Number(b));
  const [leads, entries, events, clients] = await Promise.all(
    ['leads', 'changeLogs', 'outboxEvents', 'clients'].map(all),
  );
  const found: string[] = [];
  const same = (what: string, actual: unknown, expected: unknown) => {
    const [is, has] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (is !== has) found.push(`${what}: ${is} instead of ${has}`);
  };
  const leadsOf = groupBy(leads ?? [], ({ data }) => data?.marker);
  const entriesOf = groupBy(entries ?? [], ({ entityId }) => entityId);
  const leadEvents = (events ?? []).filter(({ type }) => type.startsWith('lead.'));
  const eventsOf = groupBy(leadEvents, ({ data }) => data._id);
  const clientEvents = (events ?? []).filter(({ type }) => type.startsWith('client.'));

  for (const { marker, recordSystemId, _id, leadId, step, repetitions } of known) {
    const stored = leadsOf.get(marker) ?? [];
    same(
      marker,
      stored.map((lead) => [lead._id, lead['recordSystemId'], lead['leadId'], lead['data'].step]),
      [[_id, recordSystemId, leadId, step]],
    );
    const steps = Array.from({ length: step }, (_, index) => index + 1);
    const [changing, empty] = partition(entriesOf.get(_id) ?? []);
    if (empty.length > (recordSystemId === undefined ? 0 : repetitions)) {
      found.push(`${marker} has ${empty.length} entries without a change in the log`);
    }
    same(
      `change log of ${marker}`,
      arrange(changing.map(({ context, changes }) => [context, stepOf(changes)])),
      [['External Lead Create', 0], ...steps.map((one) => ['External Lead Update', one])],
    );
    same(
      `events of ${marker}`,
      arrange((eventsOf.get(_id) ?? []).map(({ type, data }) => [type, data.data.step])),
      [['lead.created', 0], ...steps.map((one) => ['lead.updated', one])],
    );
  }
  const changes = known.reduce((sum, { step }) => sum + 1 + step, 0);
  same('number of leads', leads?.length, known.length);
  same('lead numbers', new Set(leads?.map(({ leadId }) => leadId)).size, known.length);
  same('changes in the log', partition(entries ?? [])[0].length, changes);
  same('number of events of leads', leadEvents.length, changes);
  same('number of clients', clients?.length, known.length);
  same('number of events of clients', clientEvents.length, known.length);
  return found;
}

/**
 * Events of an organization that were not yet delivered exactly once to its only endpoint.
 *
 * @param received the `webhook-id`s that came there
 */
export async function undelivered(
  db: Db,
  organizationId: ObjectId,
  received: ReadonlySet<string>,
): Promise<string[]> {
  const [events, deliveries] = await Promise.all([
    db.collection('outboxEvents').find({ organizationId }).toArray(),
    db.collection('webhookDeliveries').find({ organizationId }).toArray(),
  ]);
  const deliveriesOf = groupBy(deliveries, ({ eventId }) => eventId);
  return events.flatMap(({ _id, sequence = null }) => {
    const id = String(_id);
    const own = deliveriesOf.get(id) ?? [];
    const [only] = own;
    if (sequence === null) return [`event ${id} was not relayed`];
    if (own.length !== 1) return [`event ${id} has ${own.length} deliveries`];
    if (only?.['status'] !== 'delivered') return [`event ${id} is ${only?.['status']}`];
    return received.has(`msg_${id}`) ? [] : [`event ${id} never came`];
  });
}

/** Entries of the change log that changed something, and the others. */
function partition(entries: readonly Document[]): [Document[], Document[]] {
  const isEmpty = ({ changes }: Document) => changes.length === 0;
  return [entries.filter((entry) => !isEmpty(entry)), entries.filter(isEmpty)];
}

function stepOf(changes: readonly Document[]): unknown {
  return changes.find(({ field }) => field === 'data.step')?.['to'];
}

function groupBy(documents: readonly Document[], key: (document: Document) => unknown) {
  return Map.groupBy(documents, (document) => String(key(document)));
}
