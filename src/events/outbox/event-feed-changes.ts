import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection, Types } from 'mongoose';
import { ChangeWatcher } from '../../core/database/changes/change-watcher.js';
import { EventFeedsRepository } from './event-feeds.repository.js';

/** How often the server is asked for what other processes have numbered. */
const intervalMs = 250;
/** When the stream was not heard for so long, it is not relied on. */
const silenceMs = 3_000;
/** How often those who listen are told to look for themselves meanwhile. */
const lookIntervalMs = 1_000;

/** Who is told of organizations with newly numbered events. */
export interface FeedListener {
  /** @param organizationId in hexadecimal */
  onNews(organizationId: string): void;
  /** Any organization may have some. */
  onGap(): void;
}

/**
 * Tells which organizations have newly numbered events: those of this process at once, those of others by
 * one change stream, which is opened for the first one who listens. While it is broken, everybody is told
 * to look, once a second.
 */
@Injectable()
export class EventFeedChanges implements OnModuleDestroy {
  private readonly watcher: ChangeWatcher;
  private readonly listeners = new Set<FeedListener>();
  private timer: NodeJS.Timeout | undefined;

  constructor(@InjectConnection() connection: Connection, feeds: EventFeedsRepository) {
    this.watcher = new ChangeWatcher(
      connection.getClient(),
      'numbered events',
      (options) => feeds.watch(options),
      intervalMs,
    );
  }

  /** How long the stream is silent, in milliseconds; undefined where nobody has listened yet. */
  stats(): { readonly silentMs: number | undefined } {
    return { silentMs: this.watcher.silentMs };
  }

  /** Tells a listener from now on. */
  listen(listener: FeedListener): void {
    this.listeners.add(listener);
    if (this.timer !== undefined) return;
    const tellOfGap = () => {
      for (const each of this.listeners) each.onGap();
    };
    this.watcher.start({
      onChange: ({ documentKey }) => this.tell(String((documentKey as { _id: unknown })._id)),
      onGap: tellOfGap,
    });
    this.timer = setInterval(() => {
      if (this.watcher.age > silenceMs) tellOfGap();
    }, lookIntervalMs).unref();
  }

  /** Tells of events that this process has numbered. */
  report(organizationIds: readonly Types.ObjectId[]): void {
    for (const id of organizationIds) this.tell(id.toHexString());
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.watcher.stop();
  }

  private tell(organizationId: string): void {
    for (const listener of this.listeners) listener.onNews(organizationId);
  }
}
