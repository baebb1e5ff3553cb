import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ChangeStream } from 'mongodb';
import type { Model } from 'mongoose';
import type { OutboxEventDocument } from './outbox-event.schema.js';

/** How long to wait before a broken stream is opened again. */
const pause = 2_000;
const committedEvents = [{ $match: { operationType: 'insert' } }, { $project: { _id: 1 } }];

/**
 * Tells when an event was committed, by any process. It is a comfort, not a promise: while the
 * stream is broken nothing is told, and whoever listens has to look for itself.
 */
@Injectable()
export class OutboxWatch {
  private readonly logger = new Logger(OutboxWatch.name);
  private readonly stopping = new AbortController();
  private stream: ChangeStream | undefined;
  private watching = Promise.resolve();

  constructor(@InjectModel('OutboxEvent') private readonly model: Model<OutboxEventDocument>) {}

  /** Begins to call the listener, once for each event. */
  start(listener: () => void): void {
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
      await delay(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  private async follow(listener: () => void): Promise<void> {
    const { db } = this.model;
    const collection = db.db?.collection(this.model.collection.collectionName);
    if (collection === undefined) throw new Error('There is no connection.');
    const stream = collection.watch(committedEvents, { maxAwaitTimeMS: 1_000 });
    this.stream = stream;
    for (;;) {
      await stream.next();
      listener();
    }
  }

  private async close(): Promise<void> {
    const { stream } = this;
    this.stream = undefined;
    // A stream that broke because the database is gone cannot be closed there either.
    await stream?.close().catch(() => undefined);
  }
}
