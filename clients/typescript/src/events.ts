import { IntegrationApiError, NoResponseError } from './errors.js';
import type { Operations } from './generated/operations.js';
import type { EventsResponseDto } from './generated/types.js';
import type { CallOptions } from './operation.js';
import {
  isTemporary,
  pauseFor,
  realSurroundings,
  retryAfterMs,
  type Surroundings,
} from './retries.js';
import type { WebhookEvent } from './webhooks.js';

/** A webhook's event with its number and id. */
export type FeedEvent = Exclude<WebhookEvent, { readonly type: 'webhook.ping' }> & {
  /** Store it as `after` once the event is handled. */
  readonly sequence: number;
  /** The `webhook-id` of the same event. */
  readonly id: string;
};

export interface FeedPage {
  /** In order; empty if only other types occurred. */
  readonly events: readonly FeedEvent[];
  /** Store it once all of them are handled. */
  readonly after: number;
}

export interface FeedOptions extends Pick<CallOptions, 'signal'> {
  /** `sequence` of the last handled event; 0 (default) starts with the oldest event kept. */
  readonly after?: number | undefined;
  /** Types such as `lead.*,unit.updated`; all by default. */
  readonly types?: string | undefined;
  /** Events per page (100). */
  readonly limit?: number;
  /** Seconds that a request waits for an event, 1 to 25 (25). */
  readonly waitSeconds?: number;
  /** Pause after a failed call (30 seconds). */
  readonly pauseMs?: number;
  /** Called instead of throwing the error; reading then continues with the oldest event kept. */
  readonly onExpired?: (error: EventsExpiredError) => unknown;
  /** For tests. */
  readonly surroundings?: Partial<Pick<Surroundings, 'now' | 'sleep'>>;
}

/** The next events have expired: read the current state, then continue after `next`. */
export class EventsExpiredError extends Error {
  override readonly name = 'EventsExpiredError';

  constructor(
    /** All later events are kept. */
    readonly next: number,
    cause: IntegrationApiError,
  ) {
    super(`Events are missing: read the current state, then continue after ${next}`, { cause });
  }
}

/** A shorter wait means that the server is full or stopping. */
const soonMs = 1_000;

/**
 * Reads the feed page by page, then waits for new events until the signal is aborted. Temporary failures are retried.
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
  const { now, sleep } = { ...realSurroundings, ...options.surroundings };
  const query = { limit, wait: waitSeconds, ...(types === undefined ? {} : { types }) };
  for (let after = options.after ?? 0; ;) {
    const began = now();
    const outcome = await onePage(() => read({ query: { ...query, after } }, { signal }));
    if ('expired' in outcome) {
      if (options.onExpired === undefined) throw outcome.expired;
      await options.onExpired(outcome.expired);
      after = outcome.expired.next;
    } else if ('failed' in outcome) {
      const asked = askedPauseMs(outcome.failed, now());
      await pauseFor(Math.max(pauseMs, asked), sleep, signal);
    } else {
      const { data, next, hasMore } = outcome.page;
      const isNew = next !== after;
      after = next;
      if (isNew) yield { events: data as FeedEvent[], after };
      else if (!hasMore && now() - began < soonMs) await pauseFor(soonMs, sleep, signal);
    }
  }
}

/**
 * Works like `eventPagesOf`, event by event. With `types`, prefer pages: `sequence` does not advance while only other types
 * occur, and may expire.
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

async function onePage(call: () => ReturnType<Operations['readEvents']>): Promise<Outcome> {
  try {
    const { data } = await call();
    // Otherwise a proxy responded.
    if (Number.isInteger(data?.next)) return { page: data };
    return { failed: new NoResponseError(1, new Error('The response is not a page of events')) };
  } catch (error) {
    if (error instanceof NoResponseError) return { failed: error };
    if (!(error instanceof IntegrationApiError)) throw error;
    const { status, code, headers } = error;
    if (code === 'events.expired') {
      return { expired: new EventsExpiredError(Number(headers.get('x-next-cursor')), error) };
    }
    if (status >= 500 || isTemporary(error)) return { failed: error };
    throw error;
  }
}

/** A `Retry-After` longer than the client's own retries. */
function askedPauseMs(error: IntegrationApiError | NoResponseError, now: number): number {
  return error instanceof NoResponseError ? 0 : (retryAfterMs(error.headers, now) ?? 0);
}
