import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type {
  ChangeStream,
  ChangeStreamOptions,
  ClientSession,
  Document,
  MongoClient,
  TopologyDescription,
  TopologyDescriptionChangedEvent,
} from 'mongodb';

const reopenDelayMs = 2_000;

/** More are fetched when these are dealt with, so that a flood of them does not hold up requests. */
const changesInBatch = 500;

/** A document of a change stream: its `_id` says where in the stream it is. */
export type Change = Document & { readonly _id: ResumeToken };

interface ResumeToken {
  readonly _data?: string;
}

export interface ChangeListener {
  /** Called for each change, in the order in which they were committed. */
  onChange(change: Change): void;
  /** Called when changes may have been missed, or what was read before may have been taken back. */
  onGap?(): void;
}

/**
 * Follows changes of committed documents, whichever process made them, and opens the stream again
 * when it breaks. It knows how far it has seen them.
 *
 * The server is asked every so often, and does not wait for changes: a stream that waits there is woken
 * by every write of any program, and costs the server more than what it finds.
 */
export class ChangeWatcher {
  private readonly logger = new Logger(ChangeWatcher.name);
  private readonly stopping = new AbortController();
  private stream: ChangeStream<Document, Change> | undefined;
  private seenUntil = Number.NEGATIVE_INFINITY;
  private primary: string | undefined;
  private isStarted = false;

  /**
   * @param subject what is watched, for the log
   * @param open begins to watch from now on, with options that are added to its own
   * @param intervalMs how long the server is left alone when it has said all
   */
  constructor(
    private readonly client: MongoClient,
    private readonly subject: string,
    private readonly open: (options: ChangeStreamOptions) => ChangeStream<Document, Change>,
    private readonly intervalMs: number,
  ) {}

  /** How long ago everything was seen that had been committed by then, in milliseconds. */
  get age(): number {
    return performance.now() - this.seenUntil;
  }

  /** As {@link age}; undefined where nothing is watched. */
  get silentMs(): number | undefined {
    return this.isStarted ? this.age : undefined;
  }

  /** Calls the listener from now on. */
  start(listener: ChangeListener): void {
    this.isStarted = true;
    const { signal } = this.stopping;
    const noticePrimary = (event: TopologyDescriptionChangedEvent) =>
      this.noticePrimary(event, listener);
    this.client.on('topologyDescriptionChanged', noticePrimary);
    signal.addEventListener('abort', () => {
      this.client.off('topologyDescriptionChanged', noticePrimary);
    });
    void this.watch(listener);
  }

  /** Calls the listener no more; what the stream still waits for ends by itself. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.close();
  }

  private async watch(listener: ChangeListener): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const session = this.client.startSession({ causalConsistency: false });
      try {
        await this.follow(session, listener);
      } catch (error) {
        if (signal.aborted) return;
        this.logger.warn({ err: error }, `The stream of ${this.subject} broke`);
      } finally {
        this.seenUntil = Number.NEGATIVE_INFINITY;
        await this.close();
        await session.endSession().catch(() => undefined);
      }
      await delay(reopenDelayMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private async follow(session: ClientSession, listener: ChangeListener): Promise<void> {
    const { signal } = this.stopping;
    const stream = this.open({ session, batchSize: changesInBatch, maxAwaitTimeMS: 1 });
    this.stream = stream;
    let askedAt = performance.now();
    let isOpen = false;
    while (!signal.aborted) {
      const change = await stream.tryNext();
      // A collection that is dropped ends its streams, and an ended one has nothing new at once, for ever.
      if (change === null && stream.closed) throw new Error('The database has ended it');
      // From here on nothing is missed.
      if (!isOpen) listener.onGap?.();
      isOpen = true;
      if (change !== null) listener.onChange(change);
      // More of the same batch follow, and with a full batch nobody knows.
      if (change !== null && placeOf(stream.resumeToken) === placeOf(change._id)) continue;
      if (isUpToDate(stream, session)) this.seenUntil = askedAt;
      // A full batch is not all that there is.
      if (change === null)
        await delay(this.intervalMs, undefined, { signal }).catch(() => undefined);
      askedAt = performance.now();
    }
  }

  /** What was read of a former primary may have been undone, and no change says so. */
  private noticePrimary(event: TopologyDescriptionChangedEvent, listener: ChangeListener): void {
    this.primary ??= primaryOf(event.previousDescription);
    const primary = primaryOf(event.newDescription);
    if (primary === undefined) return;
    if (this.primary !== undefined && this.primary !== primary) listener.onGap?.();
    this.primary = primary;
  }

  private async close(): Promise<void> {
    const { stream } = this;
    this.stream = undefined;
    // A stream that broke because the database is unavailable cannot be closed there either.
    await stream?.close().catch(() => undefined);
  }
}

/** The place in the stream that a token stands for, in hexadecimal digits. */
function placeOf(token: unknown): string {
  const { _data: place = '' } = (token ?? {}) as ResumeToken;
  return place;
}

/**
 * Whether the server has looked through its log up to the second that it knows to be the latest: one
 * that lags behind also answers that there is nothing new. The two times are the cluster's own; of the
 * token, the first eight digits behind its type are seconds.
 */
function isUpToDate(
  stream: ChangeStream<Document, Change>,
  { clusterTime }: ClientSession,
): boolean {
  const seconds = Number.parseInt(placeOf(stream.resumeToken).slice(2, 10), 16);
  return clusterTime !== undefined && seconds >= clusterTime.clusterTime.t;
}

/** Which server is primary, and since which election. */
function primaryOf({ servers }: TopologyDescription): string | undefined {
  const primary = [...servers.values()].find(({ type }) => type === 'RSPrimary');
  return primary && `${primary.address} ${String(primary.electionId)}`;
}
