import type { Db, ObjectId } from 'mongodb';

/** Numbers the events of an organization as the worker does. The shared service runs no worker. */
export async function numberEvents(db: Db, organizationId: ObjectId): Promise<void> {
  const events = db.collection('outboxEvents');
  const feeds = db.collection('eventFeeds');
  const now = new Date();
  const feed = await feeds.findOne({ organizationId });
  if (feed === null) {
    const nothing = { last: 0, numberedAt: null, numberedBy: null, pending: null };
    const times = { createdAt: now, updatedAt: now };
    await feeds.insertOne({ _id: organizationId, organizationId, ...nothing, ...times });
  }
  let last: number = feed?.['last'] ?? 0;
  const unnumbered = events.find({ organizationId, sequence: null }).sort({ storedAt: 1, _id: 1 });
  for (const { _id } of await unnumbered.toArray()) {
    last += 1;
    const $set = { sequence: last, numberedAt: now };
    await events.updateOne({ _id }, { $set });
  }
  // The change of the feed wakes waiting readers.
  await feeds.updateOne({ _id: organizationId }, { $set: { last, numberedAt: now } });
}
