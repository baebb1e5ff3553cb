import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { ClientSession } from 'mongodb';
import type { Connection } from 'mongoose';
import { withSession } from './open-session.js';

@Injectable()
export class Snapshots {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  open(): Snapshot {
    return new Snapshot(this.connection.getClient().startSession({ snapshot: true }));
  }

  /** The reads of the work see one state, committed by a majority; they have to come one after the other. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const snapshot = this.open();
    const result = await snapshot.run(work);
    await snapshot.close();
    return result;
  }
}

/** The server keeps the state of the first read for five minutes; later reads fail. */
export class Snapshot {
  constructor(private readonly session: ClientSession) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await withSession(this.session, work);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async *stream<T>(parts: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
    try {
      for (;;) {
        const { done, value } = await this.run(() => parts.next());
        if (done === true) return;
        yield value;
      }
    } finally {
      await parts.return();
      await this.close();
    }
  }

  async close(): Promise<void> {
    await this.session.endSession();
  }
}
