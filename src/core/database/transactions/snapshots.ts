import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { ClientSession } from 'mongodb';
import type { Connection } from 'mongoose';
import { withSession } from './open-session.js';

/** Opens sessions that read the database as it is at one moment, outside of transactions. */
@Injectable()
export class Snapshots {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  open(): Snapshot {
    return new Snapshot(this.session());
  }

  /** Runs work whose reads, one after the other, all see one state that cannot be taken back. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const session = this.session();
    try {
      return await withSession(session, work);
    } finally {
      await session.endSession();
    }
  }

  private session(): ClientSession {
    return this.connection.getClient().startSession({ snapshot: true });
  }
}

/**
 * Reads that all see the state of the first of them. The server keeps that state for five minutes;
 * a read that comes later fails.
 */
export class Snapshot {
  constructor(private readonly session: ClientSession) {}

  /** Runs work whose reads, one after the other, join the snapshot. It is closed when one fails. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await withSession(this.session, work);
    } catch (error) {
      await this.session.endSession();
      throw error;
    }
  }

  /** The parts of a text that is made from such reads; at its end the snapshot is closed. */
  async *stream<T>(parts: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
    try {
      for (;;) {
        const { done, value } = await this.run(() => parts.next());
        if (done === true) return;
        yield value;
      }
    } finally {
      await parts.return();
      await this.session.endSession();
    }
  }
}
