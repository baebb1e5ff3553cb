import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { ChangeStream } from 'mongodb';
import { OutboxEventsRepository } from './outbox-events.repository.js';

const reopenDelayMs = 2_000;
/** The server is heard every second, also when there is nothing new. */
const silenceMs = 3_000;

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
  private heardAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly events: OutboxEventsRepository) {}

  /** Calls the listener once for each event from now on. */
  start(listener: () => void): void {
    this.watching = this.watch(listener);
  }

  /** Whether new events are being reported, as far as is known. */
  isReporting(): boolean {
    return performance.now() - this.heardAt < silenceMs;
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
    stream.on('resumeTokenChanged', () => {
      this.heardAt = performance.now();
    });
    for (;;) {
      await stream.next();
      listener();
    }
  }

  private async close(): Promise<void> {
    const { stream } = this;
    this.stream = undefined;
    this.heardAt = Number.NEGATIVE_INFINITY;
    // A stream that broke because the database is unavailable cannot be closed there either.
    await stream?.close().catch(() => undefined);
  }
}
