import type { FeedEvent, FeedPage } from './event-feed.service.js';

/** The text of a page in the service's own form. */
export function pageText({ events, next, hasMore }: FeedPage): string {
  const data = events.map(({ objectId: _objectId, ...event }) => event);
  return JSON.stringify({ data, next, hasMore });
}

/**
 * The text of a page as CloudEvents in JSON, version 1.0. What has changed is an extension, and extensions
 * are texts: the list of changes as JSON.
 */
export function cloudEventsText({ events }: FeedPage, organizationId: string): string {
  return JSON.stringify(events.map((event) => cloudEvent(event, organizationId)));
}

function cloudEvent(event: FeedEvent, organizationId: string) {
  const { id, type, timestamp: time, data, changes, objectId, sequence } = event;
  return {
    specversion: '1.0',
    id,
    source: `/organizations/${organizationId}`,
    type,
    time,
    ...(objectId === null ? {} : { subject: objectId }),
    datacontenttype: 'application/json',
    sequence: String(sequence),
    ...(changes === undefined ? {} : { changes: JSON.stringify(changes) }),
    data,
  };
}
