import type { Types } from 'mongoose';
import type { OutboxEventDocument } from '../outbox/outbox-event.schema.js';

export type FeedEvent = Pick<
  OutboxEventDocument,
  '_id' | 'type' | 'data' | 'changes' | 'createdAt'
>;

/** Returns an event for each one, or null where the reader must not notice it. */
export type ShowEvents = (events: readonly FeedEvent[]) => Promise<readonly (FeedEvent | null)[]>;

/** Decides what keys with public visibility read of events (rule FEED-5). */
export abstract class EventVisibility {
  /** Adds the types whose events may be shown as one of the given types. */
  abstract storedTypes(types: readonly string[]): readonly string[];

  /** Returns a function for the batches of one page, whose queries run in sequence. */
  abstract showTo(organizationId: Types.ObjectId): ShowEvents;
}
