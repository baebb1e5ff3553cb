import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { ChangeStream } from 'mongodb';
import { OutboxEventsRepository } from './outbox-events.repository.js';

const reopenDelayMs = 2_000;

/**
 * Reports committed events of any process (rule HOOK-10). Best effort: while the stream is broken
 * nothing is reported, and the listener has to poll.
 */
@Injectable()
export class OutboxChangeStream {
  private readonly logger = new Logger(OutboxChangeStream.name);
  private readonly stopping = new AbortController();
  private stream: ChangeStream | undefined;
  private watching = Promise.resolve();
  /** In milliseconds of `performance.now()`; undefined until it is started. */
  private heardAt: number | undefined;

  constructor(private readonly events: OutboxEventsRepository) {}

  /**
   * How long ago the database has last said how far it has looked, which it does every second, in
   * milliseconds; undefined where nothing is listened to.
   */
  stats(): { readonly silentMs: number | undefined } {
    return { silentMs: this.heardAt === undefined ? undefined : performance.now() - this.heardAt };
  }

  /** Calls the listener once for each event from now on. */
  start(listener: () => void): void {
    this.heardAt = performance.now();
    this.watching = this.watch(listener);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.close();
    await this.watching;
  }

  private async watch(listener: () => void): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await this.follow(listener);
      } catch (error) {
        if (signal.aborted) return;
        this.logger.warn({ err: error }, 'The stream of new events broke; they are polled for');
      }
      await this.close();
      await delay(reopenDelayMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private async follow(listener: () => void): Promise<void> {
    const stream = this.events.watchInserts();
    this.stream = stream;
    stream.on('resumeTokenChanged', () => (this.heardAt = performance.now()));
    for (;;) {
      await stream.next();
      listener();
    }
  }

  private async close(): Promise<void> {
    const { stream } = this;
    this.stream = undefined;
    // A stream that broke because the database is unavailable cannot be closed there either.
    await stream?.close().catch(() => undefined);
  }
}
