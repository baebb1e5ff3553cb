import { IntegrationApiError, NoAnswerError } from './errors.js';
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

/** An event of the feed: that of the webhook with its place and its id. */
export type FeedEvent = Exclude<WebhookEvent, { readonly type: 'webhook.ping' }> & {
  /** What to go on after, once the event is handled. */
  readonly sequence: number;
  /** The `webhook-id` of the same event. */
  readonly id: string;
};

/** What the feed went on with. */
export interface FeedPage {
  /** In their order; none when only others than the wanted types came. */
  readonly events: readonly FeedEvent[];
  /** What to go on after, once all of them are handled. */
  readonly after: number;
}

/** How the feed is read. */
export interface FeedOptions extends Pick<CallOptions, 'signal'> {
  /** Of the last event that was handled: 0, or nothing, begins with the oldest one that is kept. */
  readonly after?: number | undefined;
  /** Such as `lead.*,unit.updated`; everything without it. */
  readonly types?: string | undefined;
  /** Events of a page, 100 unless it is set. */
  readonly limit?: number;
  /** Seconds that a request waits for an event, 1 to 25; 25 unless it is set. */
  readonly waitSeconds?: number;
  /** From a call that failed, with all of its tries, to the next one: 30 seconds unless it is set. */
  readonly pauseMs?: number;
  /** Is called instead of the error being thrown; then it goes on with what is kept. */
  readonly onExpired?: (error: EventsExpiredError) => unknown;
  /** For tests. */
  readonly surroundings?: Partial<Pick<Surroundings, 'now' | 'sleep'>>;
}

/**
 * Events that were to follow are not kept any more: what they told is in the current state alone. Whoever has
 * read that goes on after `next`.
 */
export class EventsExpiredError extends Error {
  override readonly name = 'EventsExpiredError';

  constructor(
    /** Everything after it is kept. */
    readonly next: number,
    cause: IntegrationApiError,
  ) {
    super(`Events are missing: read the current state, then go on after ${next}`, { cause });
  }
}

/** An end of the wait this soon is not the server's clock, but its want of room or its end. */
const soonMs = 1_000;

/**
 * The feed of events, page by page and then as they come, until the signal is aborted. It goes on after
 * whatever passes: lost connections, servers that fail or refuse for now.
 *
 * @param read `readEvents` of a client whose key may read events
 * @throws EventsExpiredError unless `onExpired` is given
 * @throws IntegrationApiError for what another try would not change
 * @throws the reason of the signal
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
 * As `eventPagesOf`, event by event: each has the `sequence` to store with what was made of it. With `types`
 * that place stays behind while none of them comes, and may expire: a page moves it all the same.
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
  | { readonly failed: IntegrationApiError | NoAnswerError };

async function onePage(call: () => ReturnType<Operations['readEvents']>): Promise<Outcome> {
  try {
    const { data } = await call();
    // Else something before the API has answered, and there is no place to go on after.
    if (Number.isInteger(data?.next)) return { page: data };
    return { failed: new NoAnswerError(1, new Error('The answer is no page of events')) };
  } catch (error) {
    if (error instanceof NoAnswerError) return { failed: error };
    if (!(error instanceof IntegrationApiError)) throw error;
    const { status, code, headers } = error;
    if (code === 'events.expired') {
      return { expired: new EventsExpiredError(Number(headers.get('x-next-cursor')), error) };
    }
    if (status >= 500 || isTemporary(error)) return { failed: error };
    throw error;
  }
}

/** What `Retry-After` asked for, when it was longer than the client's tries go on. */
function askedPauseMs(error: IntegrationApiError | NoAnswerError, now: number): number {
  return error instanceof NoAnswerError ? 0 : (retryAfterMs(error.headers, now) ?? 0);
}
