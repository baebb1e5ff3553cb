import { IntegrationApiError, NoResponseError } from './errors.js';
import type { Operations } from './generated/operations.js';
import type { EventsResponseDto } from './generated/types.js';
import type { CallOptions } from './operation.js';
import { isRetryable, pauseFor, defaultRuntime, retryAfterMs, type Runtime } from './retries.js';
import type { WebhookEvent } from './webhooks.js';

/** An event as webhooks send it, with its sequence number and id. */
export type FeedEvent = Exclude<WebhookEvent, { readonly type: 'webhook.ping' }> & {
  /** After you have handled the event, store this number and continue with it as `after`. */
  readonly sequence: number;
  /** Webhooks send the same id as `webhook-id`. */
  readonly id: string;
};

export interface FeedPage {
  /** The events in order. The list is empty if only other types occurred. */
  readonly events: readonly FeedEvent[];
  /** After you have handled all events, store this number and continue with it. */
  readonly after: number;
}

export interface FeedOptions extends Pick<CallOptions, 'signal'> {
  /** The `sequence` of the last handled event. The default 0 starts with the oldest stored event. */
  readonly after?: number | undefined;
  /** Types such as `lead.*,unit.updated`. By default all types are read. */
  readonly types?: string | undefined;
  /** Maximum events per page; 100 by default. */
  readonly limit?: number;
  /** Seconds that a request waits for an event, from 1 to 25; 25 by default. */
  readonly waitSeconds?: number;
  /** Pause after a failed call; 30 seconds by default. */
  readonly pauseMs?: number;
  /** Is called and awaited instead of throwing the error. Reading then continues with the oldest stored event. */
  readonly onExpired?: (error: EventsExpiredError) => unknown;
  /** Replaces the clock in tests. */
  readonly runtime?: Partial<Pick<Runtime, 'now' | 'sleep'>>;
}

/** Events after the last handled one have expired: read the current state, then continue after `next`. */
export class EventsExpiredError extends Error {
  override readonly name = 'EventsExpiredError';

  constructor(
    /** All events after this number are still stored. */
    readonly next: number,
    cause: IntegrationApiError,
  ) {
    super(`Events have expired: read the current state, then continue after ${next}`, { cause });
  }
}

/** An empty page sooner than this means that the server is full or stopping. A pause avoids a busy loop. */
const minWaitMs = 1_000;

/**
 * Reads the feed page by page, then waits for new events until the signal is aborted. It retries temporary failures.
 *
 * @param read `readEvents` of a client whose key may read events
 * @throws EventsExpiredError unless `onExpired` is given
 * @throws IntegrationApiError for a final error
 * @throws the reason of an aborted signal
 */
export async function* eventPagesOf(
  read: Operations['readEvents'],
  options: FeedOptions = {},
): AsyncGenerator<FeedPage, never, void> {
  const { types, limit = 100, waitSeconds = 25, pauseMs = 30_000, signal } = options;
  const { now, sleep } = { ...defaultRuntime, ...options.runtime };
  const query = { limit, wait: waitSeconds, ...(types === undefined ? {} : { types }) };
  for (let after = options.after ?? 0; ;) {
    const startedAt = now();
    const outcome = await readPage(() => read({ query: { ...query, after } }, { signal }));
    if ('expired' in outcome) {
      if (options.onExpired === undefined) throw outcome.expired;
      await options.onExpired(outcome.expired);
      after = outcome.expired.next;
    } else if ('failed' in outcome) {
      const requestedMs = requestedPauseMs(outcome.failed, now());
      await pauseFor(Math.max(pauseMs, requestedMs), sleep, signal);
    } else {
      const { data, next, hasMore } = outcome.page;
      const isNew = next !== after;
      after = next;
      if (isNew) yield { events: data as FeedEvent[], after };
      else if (!hasMore && now() - startedAt < minWaitMs) await pauseFor(minWaitMs, sleep, signal);
    }
  }
}

/**
 * Works like `eventPagesOf`, but yields single events. With `types`, prefer pages: while only other types occur, no event
 * arrives, so your stored `sequence` may expire.
 */
export async function* eventsOf(
  read: Operations['readEvents'],
  options: FeedOptions = {},
): AsyncGenerator<FeedEvent, void, void> {
  for await (const { events } of eventPagesOf(read, options)) {
    for (const event of events) {
      options.signal?.throwIfAborted();
      yield event;
    }
  }
}

type Outcome =
  | { readonly page: EventsResponseDto }
  | { readonly expired: EventsExpiredError }
  | { readonly failed: IntegrationApiError | NoResponseError };

async function readPage(call: () => ReturnType<Operations['readEvents']>): Promise<Outcome> {
  try {
    const { data } = await call();
    // A success without `next` came from a proxy.
    if (Number.isInteger(data?.next)) return { page: data };
    return { failed: new NoResponseError(1, new Error('The response is not a page of events')) };
  } catch (error) {
    if (error instanceof NoResponseError) return { failed: error };
    if (!(error instanceof IntegrationApiError)) throw error;
    const { status, code, headers } = error;
    if (code === 'events.expired') {
      return { expired: new EventsExpiredError(Number(headers.get('x-next-cursor')), error) };
    }
    if (status >= 500 || isRetryable(error)) return { failed: error };
    throw error;
  }
}

/** Returns the `Retry-After` of a response. It can be longer than the client retries by itself. */
function requestedPauseMs(error: IntegrationApiError | NoResponseError, now: number): number {
  return error instanceof NoResponseError ? 0 : (retryAfterMs(error.headers, now) ?? 0);
}
