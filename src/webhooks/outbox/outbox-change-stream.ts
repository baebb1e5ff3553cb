import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { ChangeWatcher } from '../../database/changes/change-watcher.js';
import { OutboxEventsRepository } from './outbox-events.repository.js';

/** The server is heard every second, also when there is nothing new. */
const silenceMs = 3_000;

/**
 * Reports committed events of any process (rule HOOK-10). Best effort: while the stream is broken
 * nothing is reported, and the listener has to poll.
 */
@Injectable()
export class OutboxChangeStream {
  private readonly watcher: ChangeWatcher;

  constructor(@InjectConnection() connection: Connection, events: OutboxEventsRepository) {
    this.watcher = new ChangeWatcher(connection.getClient(), 'new events', (options) =>
      events.watchInserts(options),
    );
  }

  /**
   * How long ago everything was seen that had been committed by then, in milliseconds; infinite while
   * the stream is broken, undefined where nothing is listened to.
   */
  stats(): { readonly silentMs: number | undefined } {
    return { silentMs: this.watcher.silentMs };
  }

  /** Calls the listener once for each event from now on. */
  start(listener: () => void): void {
    this.watcher.start({ onChange: listener });
  }

  /** Whether new events are being reported, as far as is known. */
  isReporting(): boolean {
    return this.watcher.age < silenceMs;
  }

  async stop(): Promise<void> {
    await this.watcher.stop();
  }
}
