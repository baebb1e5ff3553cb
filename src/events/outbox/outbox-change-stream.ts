import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { ChangeWatcher } from '../../core/database/changes/change-watcher.js';
import { afterTransaction } from '../../core/database/transactions/open-session.js';
import { OutboxEventsRepository } from './outbox-events.repository.js';

/** How often the server is asked for events of other processes. */
const intervalMs = 250;

/**
 * Reports committed events, those of this process at once, and those of others that have subscribers soon
 * (rule HOOK-10). Best effort: the listener has to poll for the others, and while the stream is broken.
 */
@Injectable()
export class OutboxChangeStream {
  private readonly watcher: ChangeWatcher;
  private listener: () => void = () => {};
  private readonly report = () => this.listener();

  constructor(@InjectConnection() connection: Connection, events: OutboxEventsRepository) {
    this.watcher = new ChangeWatcher(
      connection.getClient(),
      'new events',
      (options) => events.watchInserts(options),
      intervalMs,
    );
  }

  /**
   * How long ago everything was seen that had been committed by then, in milliseconds; infinite while
   * the stream is broken, undefined where nothing is listened to.
   */
  stats(): { readonly silentMs: number | undefined } {
    return { silentMs: this.watcher.silentMs };
  }

  /** Calls the listener for events from now on, possibly without one. */
  start(listener: () => void): void {
    this.listener = listener;
    this.watcher.start({ onChange: listener });
  }

  /** Reports an event of this process when the transaction that is open has ended. */
  reportOwn(): void {
    afterTransaction(this.report);
  }

  async stop(): Promise<void> {
    this.listener = () => {};
    await this.watcher.stop();
  }
}
