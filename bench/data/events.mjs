// Events of the feed: those of an organization whose leads were changed again and again.
import { Timestamp } from 'mongodb';
import { withoutIndexes } from './load.mjs';
import { literals, madeInside, numberedId } from './made-inside.mjs';
import { idOf, loadedAt } from './names.mjs';

const text = 'Called twice, likes the lake, wants three bedrooms and a garden. '.repeat(4);

/** Fills the feed of the large organization with numbered events about a number of leads in turns. */
export async function loadEvents(db, count, leads) {
  const organizationId = idOf('organization', 0);
  const now = new Date();
  await withoutIndexes(db, 'outboxEvents', () =>
    db.aggregate(madeInside('outboxEvents', count, eventFields(now, leads))).toArray(),
  );
  await db.collection('eventFeeds').insertOne({
    _id: organizationId,
    organizationId,
    last: count,
    numberedAt: now,
    numberedBy: 'bench',
    pending: null,
    createdAt: now,
    updatedAt: now,
  });
  const permissions = { allowExternal: true, readEvents: true };
  await db.collection('apiKeys').updateOne({ organizationId }, { $set: { permissions } });
}

/** Times of now, because events expire. */
function eventFields(now, leads) {
  const firstLead = idOf('lead', 0).toHexString().slice(0, 12);
  const ofLead = { $mod: ['$number', leads] };
  const leadIds = Array.from({ length: leads }, (_, index) => idOf('lead', index).toHexString());
  return {
    _id: numberedId('event'),
    organizationId: { $literal: idOf('organization', 0) },
    data: {
      _id: { $arrayElemAt: [leadIds, ofLead] },
      leadId: ofLead,
      name: { $concat: ['Mona Adel ', firstLead] },
      data: { note: text },
      createdAt: { $literal: loadedAt },
    },
    changes: { $literal: [{ field: 'data.note', from: null, to: text }] },
    sequence: { $add: ['$number', 1] },
    ...literals({ type: 'lead.updated', storedAt: new Timestamp({ t: 1, i: 1 }) }),
    ...literals({ relayedAt: now, numberedAt: now, createdAt: now, updatedAt: now }),
  };
}
